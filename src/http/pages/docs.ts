// Serves the OpenAPI document and a page that shows it. The page loads nothing from other sites.
import express, { type RequestHandler, type Router } from 'express';
import { compressed } from '../response/compression.js';
import { servePage } from '../response/methods.js';
import { type Asset, sendAsset } from '../response/sending.js';
import { builtFile, contentTagOf } from './built-file.js';
import { contentPolicy } from './html.js';

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Clinical protocols: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="interface"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>`;
const start = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#interface', deepLinking: true });";

// The script of the page sets inline styles and draws inline images.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// The build copies them from Swagger UI.
const LIBRARY = ['swagger-ui.css', 'swagger-ui-bundle.js'];

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
  for (const file of LIBRARY) {
    const asset = builtFile(`docs/${file}`, 'public, max-age=86400');
    servePage(router, `/docs/${file}`, (_, response) => sendAsset(response, asset));
  }
  return router;
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
  return { type: 'application/json; charset=utf-8', tag: contentTagOf(text), cacheControl: 'no-cache', codings };
};
