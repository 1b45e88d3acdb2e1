// The description of the interface and a page that shows it; the page loads nothing from elsewhere.
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

// The page's own styles are set by its script; images are drawn inline.
const contentPolicy: RequestHandler = (_, response, next) => {
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  next();
};

/** Where the description and its page are served. */
export const DOCS_PATHS = ['/openapi.json', '/docs'] as const;

/** Serves `/openapi.json` and `/docs`. The document is made when somebody first asks for it: no start waits for it. */
export const docsRouter = (openApi: () => unknown): Router => {
  const router = express.Router({ caseSensitive: true });
  servePage(router, '/openapi.json', description(openApi));
  router.use('/docs', contentPolicy);
  servePage(router, '/docs', (_, response) => void response.type('html').send(page));
  servePage(router, '/docs/start.js', (_, response) => void response.type('text/javascript').send(start));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) servePage(router, `/docs/${file}`, libraryFile(file));
  return router;
};

// The same file has the same ETag on every machine. `send` sets Last-Modified, and responds to ranges and conditions.
const libraryFile =
  (file: string): RequestHandler =>
  (_, response) => {
    response.set({ ETag: `"${version}"` });
    // From a root, as a path with a directory such as `.app` in it would be taken for hidden.
    response.sendFile(file, { root: swaggerUi, maxAge: '1d' });
  };

// It changes with the program and its settings: a browser asks each time, and mostly reads 304.
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
