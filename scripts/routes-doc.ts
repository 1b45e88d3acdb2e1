// Writes docs/routes.md from the lists of routes. A test fails if the file is out of date.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CallerCondition, Rule } from '../src/http/access/access.js';
import { CONSOLE_PATH } from '../src/http/pages/console.js';
import { DOCS_PATHS } from '../src/http/pages/docs.js';
import { type HealthOptions, healthOf } from '../src/http/pages/health.js';
import { BOARD } from '../src/http/pages/queue-board.js';
import { VERIFIER_PATH } from '../src/http/pages/verifier.js';
import type { RouteContext } from '../src/http/route/context.js';
import { has, type Route } from '../src/http/route/route.js';
import { routesOf, signInRoutesOf } from '../src/http/routes.js';

// Only the declarations are read. No handler runs, so the routes need no app.
const app = {} as RouteContext;

/** Every route of the service, in the order of the document. */
export const allRoutes: readonly Route[] = [
  ...routesOf(app),
  ...signInRoutesOf(app),
  ...healthOf({} as HealthOptions).probes,
];

/** Returns the name of a route: `GET /protocols`. */
export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method.toUpperCase()} ${path}`;

const head = `# Routes

Generated from the routes in \`src/http/routes\` by \`npm run docs:routes\`. A test fails if this page is out of date.

- Each heading names the **callers** that the routes below it allow if \`AUTH\` is \`required\`. In open mode everybody may call
  them, unless the heading says "also in open mode".
- Each line begins with the **rate class**; [operations.md](operations.md#limits-proxies-cors) has the quotas.
- **personal**: no cache may store the responses.

Administration routes are also served under \`/admin-service\`.
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
  'if-valid': () => 'anyone; ignores an invalid token',
  optional: () => 'anyone',
  'required-unless-open': (callers) => callers,
  required: (callers) => `${callers}; also in open mode`,
};

const inWords = ({ token, allowed }: Rule): string =>
  TOKENS[token](allowed.map((condition) => CALLERS[condition]).join(', '));

/** Returns the callers that a route allows, in words. */
export const callersOf = ({ access: { who, maxAuthAgeS } }: Route): string =>
  `${inWords(who)}${maxAuthAgeS === undefined ? '' : `, signed in at most ${maxAuthAgeS} s ago`}`;

const classOf = (route: Route): string => {
  const { rate = has(route, 'counted') ? 'write' : 'unlimited', personal } = route.access;
  return `${rate}${personal ? ', personal' : ''}`;
};

/** Returns the routes by what `keyOf` returns, in the order in which each key occurs first. */
const grouped = (routes: readonly Route[], keyOf: (route: Route) => string): readonly (readonly [string, Route[]])[] =>
  [...new Set(routes.map(keyOf))].map((key) => [key, routes.filter((route) => keyOf(route) === key)]);

const methodOf = ({ method }: Route): string => method.toUpperCase();
const pathsOf = ([method, routes]: readonly [string, readonly Route[]]): string =>
  `${method} ${routes.map(({ path }) => `\`${path}\``).join(', ')}`;

const sectionOf = ([callers, routes]: readonly [string, readonly Route[]]): string => {
  const lines = grouped(routes, classOf).map(
    ([name, same]) => `- **${name}**: ${grouped(same, methodOf).map(pathsOf).join('; ')}\n`,
  );
  return `\n## ${callers.charAt(0).toUpperCase()}${callers.slice(1)}\n\n${lines.join('')}`;
};

const pages = ['/', ...DOCS_PATHS, VERIFIER_PATH].map((path) => `\`${path}\``).join(', ');
const tail = `
## Pages

- ${pages}, \`${CONSOLE_PATH}/\` and below: anyone; these pages ignore the token.
- \`${BOARD.path}\` and below, only with \`REDIS_URL\`: ${inWords(BOARD.who)}. The cookie TOKEN may carry the token. A browser without a session is
  redirected to the sign-in of the web client.
`;

/** Returns the text of docs/routes.md. */
export const routesDocument = (): string => [head, ...grouped(allRoutes, callersOf).map(sectionOf), tail].join('');

const file = fileURLToPath(new URL('../docs/routes.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, routesDocument());
