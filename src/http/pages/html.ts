// The frame of HTML pages. The pages load nothing (their icon is empty, so that browsers ask for none), run no scripts, and share one style.
import { createHash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

export interface HtmlPage {
  readonly title: string;
  readonly body: string;
}

/** Sends a page with its content security policy. Caches must not store the page. */
export const sendPage = (response: Response, { title, body }: HtmlPage): void => {
  response
    .set({
      'Content-Security-Policy': `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Cache-Control': 'no-store',
    })
    .type('html')
    .send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style></head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`);
};

export const contentPolicy =
  (policy: string): RequestHandler =>
  (_, response, next) => {
    response.setHeader('Content-Security-Policy', policy);
    next();
  };

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for an HTML element or a quoted attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
