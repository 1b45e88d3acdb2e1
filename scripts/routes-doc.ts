// Writes docs/routes.md from the lists of routes. A test compares the file with the result.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rule } from '../src/http/kernel/access.js';
import type { App } from '../src/http/kernel/app.js';
import type { Route } from '../src/http/kernel/route.js';
import type { CallerCondition } from '../src/http/kernel/who.js';
import { DOCS_PATHS } from '../src/http/pages/docs.js';
import { HEALTH_PATHS } from '../src/http/pages/health.js';
import { HOME_PATHS } from '../src/http/pages/home.js';
import { BOARD } from '../src/http/pages/queue-board.js';
import { routesOf, signInRoutesOf } from '../src/http/routes.js';

// Only the declarations are read. No handler runs, so the routes need no app.
const app = {} as App;

/** Every route of the service, in the order of the document. */
export const allRoutes: readonly Route[] = [...routesOf(app), ...signInRoutesOf(app)];

/** Returns the name of a route: `GET /protocols`. */
export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method.toUpperCase()} ${path}`;

const head = `# Routes

Made from the routes in \`src/http/routes\` by \`npm run docs:routes\`; a test fails if it is stale.

- **who**: the callers that the route lets in if \`AUTH\` is \`required\`. In open mode everybody may call, except where the
  table says "also in open mode". A bad token is refused with 401 unless the route ignores it.
- **rate**: the rate class, with the quotas in [operations.md](operations.md#limits-proxies-cors). A read that is
  unlimited counts as \`unapproved\` if it asks for \`asOf\`.
- **personal**: the response holds personal data or secrets, so it says \`Cache-Control: no-store\`.

Administration routes are also served under \`/admin-service\`.

| route | who | rate | personal |
|---|---|---|---|
`;

const CALLERS: Readonly<Record<CallerCondition, string>> = {
  user: 'signed in',
  approved: 'any approved profile',
  self: 'the user `{id}`',
  holder: 'the user of session `{id}`',
  ADMINISTRATOR: 'ADMINISTRATOR',
  AUDITOR: 'AUDITOR',
  DOCTOR_GENERALIST: 'DOCTOR_GENERALIST',
  DOCTOR_SPECIALIST: 'DOCTOR_SPECIALIST',
  NURSE: 'NURSE',
};

const TOKENS: Readonly<Record<Rule['token'], (callers: string) => string>> = {
  ignored: () => 'anyone; ignores the token',
  optional: () => 'anyone',
  'required-unless-open': (callers) => callers,
  required: (callers) => `${callers}; also in open mode`,
};

const inWords = ({ token, allowed }: Rule): string =>
  TOKENS[token](allowed.map((condition) => CALLERS[condition]).join(', '));

const rowOf = (route: Route): string => {
  const { rule, rate, personal, maxAuthAgeS } = route.access;
  const stepUp = maxAuthAgeS === undefined ? '' : `, signed in at most ${maxAuthAgeS} s ago`;
  return `| \`${nameOf(route)}\` | ${inWords(rule)}${stepUp} | ${rate} | ${personal ? 'yes' : 'no'} |\n`;
};

const pages = [...HOME_PATHS, ...HEALTH_PATHS, ...DOCS_PATHS].map((path) => `\`${path}\``).join(', ');
const tail = `
## Pages

- ${pages}: anyone; ignore the token. \`/readyz\` reads it: in required mode it shows positions to administrators alone.
- \`${BOARD.path}\` and below: ${inWords(BOARD.rule)}. The token may come in its cookie.
- \`${BOARD.path}/sign-in\`: anyone; limited as \`sign-in\`. Takes a form from its own page alone.
`;

/** Returns the text of docs/routes.md. */
export const routesDocument = (): string => [head, ...allRoutes.map(rowOf), tail].join('');

const file = fileURLToPath(new URL('../docs/routes.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, routesDocument());
