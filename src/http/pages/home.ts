// The page at /, to which a sign-out also leads: the web client, or a page that describes the service and its state.
import express, { type Router } from 'express';
import { VERSION } from '../../infrastructure/version.js';
import type { Callers } from '../access/access.js';
import { servePage } from '../response/methods.js';
import { negotiated } from '../response/negotiation.js';
import type { WebClient } from './console.js';
import { sendPage } from './html.js';
import type { Readiness } from './readiness.js';

type Status = Readiness['status'];

export interface HomeOptions {
  /** Returns the state of the service. The page shows nothing else about it, because it is public. */
  readonly status: () => Promise<Status>;
  readonly callers: Callers;
  /** The web client; undefined if the service serves none. */
  readonly webClient: WebClient | undefined;
}

const STATES: { readonly [S in Status]: string } = {
  ready: 'Ready.',
  degraded: 'Ready, with faults.',
  'not-ready': 'Not ready.',
};
const MODES: { readonly [C in Callers]: string } = {
  open: 'Open. Everyone who can reach this address can read and change everything.',
  required: 'Callers must sign in.',
};

export const homeRouter = ({ status, callers, webClient }: HomeOptions): Router => {
  const router = express.Router({ caseSensitive: true, strict: true });
  servePage(router, '/', async (_, response) => {
    const isForProgram = negotiated(response, ['text/html', 'application/json']) === 'application/json';
    if (webClient !== undefined && !isForProgram) return webClient.sendHtml(response);
    const state = await status();
    response.set('Cache-Control', 'no-store');
    if (isForProgram) response.json(summary(state, callers));
    else sendPage(response, { title: 'Clinical protocols', body: bodyOf(state, callers) });
  });
  return router;
};

const summary = (status: Status, auth: Callers) => ({
  service: 'clinical-protocols',
  status,
  auth,
  links: { documentation: '/docs', openapi: '/openapi.json', readiness: '/readyz' },
});

const bodyOf = (state: Status, callers: Callers): string => `
<p>This service administers clinical protocols: questionnaires with versioned forms, questions, options and score ranges. It also
records the institutions that own them, the people who use them, and a complete history of every change.</p>
<p><strong>State</strong>: ${STATES[state]}</p>
<p><strong>Access</strong>: ${MODES[callers]}</p>
<p><strong>Version</strong>: ${VERSION}</p>
<ul>
<li><a href="/docs">API reference</a></li>
<li><a href="/openapi.json">OpenAPI description</a></li>
<li><a href="/verifier">Verify evidence</a></li>
</ul>`;
