// The sign-in page of the job queues for operators without the web client. It needs no script: a form sends e-mail and
// password, and the response sets the same cookies as the web client.
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { Refused } from '../../auth/refused.js';
import type { SignIns, Tokens } from '../../auth/sign-ins.js';
import type { CommandContext } from '../../commands/context.js';
import type { RequestLimits } from '../access/rate-limits.js';
import type { ProblemCode } from '../problems/problem-kinds.js';
import { headersOf, Problem, problemOf } from '../problems/problems.js';
import type { BodyReader } from '../request/bodies.js';
import { Client } from '../request/client.js';
import { keepTokens, readCookies, signInCookies } from '../request/cookies.js';
import { siteOf } from '../request/origins.js';
import { otherMethods } from '../response/methods.js';
import { negotiated } from '../response/negotiation.js';
import { noteRoute } from '../response/request-context.js';
import { contextBy } from '../route/handler.js';
import { SignInCredentials } from '../routes/auth/sign-in.js';
import { escaped, sendPage } from './html.js';

export interface QueueSignInOptions {
  /** The path of the board, to which a sign-in redirects. */
  readonly board: string;
  readonly signIns: SignIns;
  readonly bodies: BodyReader;
  readonly limits: RequestLimits | undefined;
}

/** The page, and an error handler that shows it to browsers in place of a problem document. */
export interface QueueSignIn {
  readonly router: Router;
  readonly errorHandler: ErrorRequestHandler;
}

const FORM = 'application/x-www-form-urlencoded';
const MAX_BYTES = 16_384;
const APP_NAME = 'queues';

/** The messages of the page by problem code. Other problems are not handled here. */
const MESSAGES: { readonly [C in ProblemCode]?: string } = {
  'sign-in-required': 'Sign in as an administrator to open the job queues.',
  'token-refused': 'Your sign-in has expired. Sign in again.',
  'not-allowed': 'Only administrators may open the job queues. Sign in as an administrator.',
  'fields-refused': 'Enter your e-mail and your password.',
  'sign-in-refused': 'Wrong e-mail or password.',
  'user-disabled': 'This user is disabled. Ask an administrator to enable it.',
  'activation-required': 'This user is not activated yet. Redeem the code that was sent, then sign in.',
  'password-change-required': 'The initial password works only once. Set a new password, then sign in.',
  'too-many-failures': 'Too many failed attempts.',
  'too-many-requests': 'Too many attempts.',
  'cross-site-request': 'The form was not sent from this page. Reload this page and sign in.',
};

/**
 * Returns the sign-in page of a board. Mount the router before the gate of the board, and `errorHandler` after the
 * board.
 */
export const queueSignIn = (options: QueueSignInOptions): QueueSignIn => {
  const { board, limits } = options;
  const path = `${board}/sign-in`;
  const router = express.Router({ caseSensitive: true, strict: true });
  const page = router.route(path).all(noteRoute(path));
  if (limits !== undefined) page.all(limits.ofAddress('sign-in'));
  page
    .get((_, response) => showForm(response, path))
    .post(async (request, response) => {
      const { tokens, userId } = await signIn(request, options);
      keepAndOpen(response, board, { tokens, userId });
    })
    .all(otherMethods(['GET', 'HEAD', 'POST']));
  return { router, errorHandler: errorHandlerOf(options, path) };
};

const errorHandlerOf =
  ({ board, signIns }: QueueSignInOptions, path: string): ErrorRequestHandler =>
  async (error, request, response, next) => {
    const problem = problemOf(error);
    const message = MESSAGES[problem.code];
    // Clients that accept any type are programs, not browsers.
    if (message === undefined || negotiated(response, ['application/json', 'text/html']) !== 'text/html')
      return next(error);
    const tokens = problem.status === 401 && (await renewed(request, signIns));
    if (tokens) return keepAndOpen(response, board, { tokens });
    response.status(problem.status).set(headersOf(problem));
    showForm(response, path, message + waitFor(problem));
  };

const waitFor = ({ headers }: Problem): string => {
  const seconds = headers['Retry-After'];
  return seconds === undefined ? '' : ` Wait ${seconds} second${seconds === '1' ? '' : 's'}, then sign in.`;
};

const signIn = async (request: Request, { signIns, bodies, limits }: QueueSignInOptions) => {
  if (siteOf(request) !== 'own') throw new Problem('cross-site-request');
  if (request.is(FORM) === false) throw new Problem('unsupported-media-type', { headers: { Accept: FORM } });
  const form = new URLSearchParams((await bodies.read(request, MAX_BYTES)).toString());
  const sent = SignInCredentials.pick({ email: true, password: true }).safeParse(Object.fromEntries(form)).data;
  if (sent === undefined) throw new Problem('fields-refused');
  const { address } = new Client(request, undefined);
  const count = async (userId: string) => limits?.ofSignIn(userId, request.res as Response);
  const credentials = { ...sent, platform: 'WEB', appName: APP_NAME, address, count } as const;
  const { user, ...tokens } = await signIns.signIn(credentials, anonymousContext(request));
  return { tokens, userId: user.id };
};

/**
 * Renews the session of a browser whose access token has expired. Returns undefined if the browser has no active
 * session, or if another site led it here.
 */
const renewed = async (request: Request, signIns: SignIns): Promise<Tokens | undefined> => {
  const refreshToken = readCookies(request.headers.cookie).get(signInCookies.refreshToken);
  if (request.method !== 'GET' || refreshToken === undefined || siteOf(request) !== 'own') return undefined;
  return signIns.refresh(refreshToken, anonymousContext(request)).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    return undefined;
  });
};

const anonymousContext = ({ res }: Request): CommandContext => contextBy(res as Response, undefined);

/** Stores the tokens in cookies and redirects to the board. The target never depends on the request. */
const keepAndOpen = (
  response: Response,
  board: string,
  { tokens, userId }: { readonly tokens: Tokens; readonly userId?: string },
): void => {
  const { isSecure } = new Client(response.req, undefined);
  response.set({ 'Set-Cookie': [...keepTokens(tokens, { userId, isSecure })], 'Cache-Control': 'no-store' });
  response.status(303).set('Location', board).end();
};

const SIGN_OUT = `
<form method="post" action="/api/sign-out"><button>Sign out</button></form>`;

const showForm = (response: Response, path: string, message?: string): void => {
  const isKept = readCookies(response.req.headers.cookie).has(signInCookies.refreshToken);
  // With `no-referrer`, the policy of all other responses, browsers would send `Origin: null` with the form.
  response.set('Referrer-Policy', 'same-origin');
  sendPage(response, {
    title: 'Sign in to the job queues',
    formAction: "'self'",
    body: `${message === undefined ? '' : `<p role="alert">${escaped(message)}</p>`}
<form method="post" action="${path}">
<label>E-mail <input type="email" name="email" autocomplete="username" required autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>${isKept ? SIGN_OUT : ''}`,
  });
};
