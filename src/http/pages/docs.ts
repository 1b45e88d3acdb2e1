// Serves the OpenAPI document and a page that shows it. The page loads nothing from other sites.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { servePage } from '../kernel/methods.js';
import { isUnchanged } from '../kernel/validators.js';

const require = createRequire(import.meta.url);
const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
const { version } = require('swagger-ui-dist/package.json') as { version: string };

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Clinical protocols: the interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="interface"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>`;
const start = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#interface', deepLinking: true });";

// The script of the page sets inline styles and draws inline images.
const contentPolicy: RequestHandler = (_, response, next) => {
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  next();
};

/** The paths of the OpenAPI document and its page. */
export const DOCS_PATHS = ['/openapi.json', '/docs'] as const;

/**
 * Returns the router of `/openapi.json` and `/docs`. The first request makes the document, so that it does not delay
 * the start.
 */
export const docsRouter = (openApi: () => unknown): Router => {
  const router = express.Router({ caseSensitive: true });
  servePage(router, '/openapi.json', description(openApi));
  router.use('/docs', contentPolicy);
  servePage(router, '/docs', (_, response) => void response.type('html').send(page));
  servePage(router, '/docs/start.js', (_, response) => void response.type('text/javascript').send(start));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) servePage(router, `/docs/${file}`, libraryFile(file));
  return router;
};

// The ETag is the same on every machine. `send` sets Last-Modified and handles ranges and conditional requests.
const libraryFile =
  (file: string): RequestHandler =>
  (_, response) => {
    response.set({ ETag: `"${version}"` });
    // Uses a root, because a path with a directory such as `.app` would count as hidden.
    response.sendFile(file, { root: swaggerUi, maxAge: '1d' });
  };

// The document changes with the program and its settings. Browsers revalidate it every time and mostly get 304.
const description = (openApi: () => unknown): RequestHandler => {
  let made: { readonly text: string; readonly tag: string } | undefined;
  return ({ headers }, response) => {
    made ??= tagged(JSON.stringify(openApi()));
    const { text, tag } = made;
    response.set({ ETag: tag, 'Cache-Control': 'no-cache' });
    if (isUnchanged(headers['if-none-match'], tag)) response.status(304).end();
    else response.type('application/json').send(text);
  };
};

const tagged = (text: string) => ({ text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` });
