// Serves the page that verifies evidence, for auditors without a copy of the program. The page also works as a file.
import { createHash } from 'node:crypto';
import express, { type Router } from 'express';
import { servePage } from '../response/methods.js';
import { sendAsset } from '../response/sending.js';
import { builtFile } from './built-file.js';
import { contentPolicy } from './html.js';

export const VERIFIER_PATH = '/verifier';

/** Returns the router of `/verifier`. The page may run its own script and can neither load nor send anything. */
export const verifierRouter = (): Router => {
  const page = builtFile('verifier/index.html', 'no-cache');
  const html = page.codings.identity.toString();
  const policy =
    `default-src 'none'; script-src ${hashesIn(html, 'script')}; style-src ${hashesIn(html, 'style')}; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(VERIFIER_PATH, contentPolicy(policy));
  servePage(router, VERIFIER_PATH, (_, response) => sendAsset(response, page));
  return router;
};

/** Returns the sources that permit the inline elements of a page with this name, and no others (CSP Level 3, section 2.3.1). */
const hashesIn = (html: string, element: 'script' | 'style'): string =>
  [...html.matchAll(new RegExp(`<${element}[^>]*>(.*?)</${element}>`, 'gs'))]
    .map(([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
    .join(' ');
