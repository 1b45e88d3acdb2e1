// Serves the OpenAPI document and a page that shows it. The page loads nothing from other sites.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import express, { type RequestHandler, type Router } from 'express';
import { compressed } from '../response/compression.js';
import { servePage } from '../response/methods.js';
import { type Asset, sendAsset } from '../response/sending.js';
import { contentPolicy } from './html.js';

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="interface"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>`;
const start = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#interface', deepLinking: true });";

// The script of the page sets inline styles and draws inline images.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const LIBRARY = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

export const DOCS_PATHS = ['/openapi.json', '/docs'] as const;

/**
 * Returns the router of `/openapi.json` and `/docs`. The first request makes the document, so that it does not delay
 * the start.
 */
export const docsRouter = (openApi: () => unknown): Router => {
  const router = express.Router({ caseSensitive: true });
  servePage(router, '/openapi.json', description(openApi));
  router.use('/docs', contentPolicy(POLICY));
  servePage(router, '/docs', (_, response) => void response.type('html').send(page));
  servePage(router, '/docs/start.js', (_, response) => void response.type('text/javascript').send(start));
  for (const [file, type] of Object.entries(LIBRARY)) servePage(router, `/docs/${file}`, libraryFile(file, type));
  return router;
};

/** Returns a handler that serves a file of Swagger UI. The build compresses it (scripts/bundle.mjs). */
const libraryFile = (file: string, type: string): RequestHandler => {
  const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url));
  const codings = { identity: read(file), br: read(`${file}.br`), gzip: read(`${file}.gz`) };
  const asset = { type, tag: tagOf(codings.identity), cacheControl: 'public, max-age=86400', codings };
  return (_, response) => sendAsset(response, asset);
};

// The document changes with the program and its settings. Browsers revalidate it every time and mostly get 304.
const description = (openApi: () => unknown): RequestHandler => {
  let made: Promise<Asset> | undefined;
  return async (_, response) => {
    made ??= described(JSON.stringify(openApi()));
    await sendAsset(response, await made);
  };
};

const described = async (text: string): Promise<Asset> => {
  const [br, gzip] = await Promise.all([compressed(text, 'br'), compressed(text, 'gzip')]);
  const codings = { identity: Buffer.from(text), br, gzip };
  return { type: 'application/json; charset=utf-8', tag: tagOf(text), cacheControl: 'no-cache', codings };
};

const tagOf = (content: string | Buffer) => `"${createHash('sha256').update(content).digest('base64url')}"`;
