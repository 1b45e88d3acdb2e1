// The web client in console/: one HTML page at each of its addresses, and the files that the build makes for it.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import express, { type ErrorRequestHandler, type Response, type Router } from 'express';
import { headersOf, Problem, problemOf } from '../problems/problems.js';
import { servePage } from '../response/methods.js';
import { negotiated } from '../response/negotiation.js';
import { sendAsset } from '../response/sending.js';
import { builtFile } from './built-file.js';
import { sendPage } from './html.js';

export interface WebClient {
  readonly router: Router;
  /** Sends the page, with a nonce of its own. */
  readonly sendHtml: (response: Response) => void;
}

export const CONSOLE_PATH = '/console';

const BUILT = new URL('../../console/', import.meta.url);
// The names of the files contain hashes of their contents.
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Returns the web client; undefined if it is not built. */
export const builtWebClient = (): WebClient | undefined => {
  // The end of the build writes this file (scripts/builds.mjs).
  if (!existsSync(new URL('.built', BUILT))) return undefined;
  const html = readFileSync(new URL('index.html', BUILT), 'utf8');
  const sendHtml = (response: Response) => sendWithNonce(response, html);
  // Read at the start, so that a later build does not mix its files with this page.
  const names = readdirSync(new URL('assets/', BUILT)).filter((name) => !/\.(br|gz)$/.test(name));
  const assets = new Map(names.map((name) => [name, builtFile(`console/assets/${name}`, IMMUTABLE)]));

  const router = express.Router({ caseSensitive: true, strict: true });
  servePage(router, CONSOLE_PATH, (_, response) => void response.status(302).set('Location', `${CONSOLE_PATH}/`).end());
  servePage(router, `${CONSOLE_PATH}/assets/{*name}`, ({ params }, response) => {
    const asset = assets.get([params['name'] ?? ''].flat().join('/'));
    if (asset === undefined) throw new Problem('route-not-found');
    return sendAsset(response, asset);
  });
  servePage(router, `${CONSOLE_PATH}/{*page}`, (_, response) => sendHtml(response));
  return { router, sendHtml };
};

const policyWith = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
  "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const sendWithNonce = (response: Response, html: string): void => {
  const nonce = randomBytes(16).toString('base64');
  response
    .set({
      'Content-Security-Policy': policyWith(nonce),
      // With `no-referrer`, the policy of all other responses, browsers may send `Origin: null`.
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    })
    .type('html')
    .send(html.replaceAll('__CSP_NONCE__', nonce));
};

/**
 * Returns the handler of refusals at a page outside of the web client. A browser without a session is redirected to the
 * sign-in, which leads back to `path`. A browser whose user may not open the page gets a page that says so.
 */
export const leadToSignIn =
  (path: string): ErrorRequestHandler =>
  (error, _request, response, next) => {
    const problem = problemOf(error);
    const isRefusal = problem.status === 401 || problem.code === 'not-allowed';
    // Clients that accept any type are programs, not browsers.
    if (!isRefusal || negotiated(response, ['application/json', 'text/html']) !== 'text/html') return next(error);
    if (problem.status === 401) {
      const location = `${CONSOLE_PATH}/sign-in?next=${path}`;
      return void response.status(303).set({ Location: location, 'Cache-Control': 'no-store' }).end();
    }
    response.status(problem.status).set(headersOf(problem));
    sendPage(response, {
      title: 'Only administrators may open this page',
      body: `<p>Sign out of <a href="${CONSOLE_PATH}/account/security">your account</a>, and sign in as an administrator.</p>`,
    });
  };
