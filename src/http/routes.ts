// Every route of the app, in two groups.

import type { RouteContext } from './route/context.js';
import type { Route } from './route/route.js';
import type { RouteGroup } from './route/routing.js';
import { decisionRoutes } from './routes/audit/decisions.js';
import { historyRoutes } from './routes/audit/histories.js';
import { logRoutes } from './routes/audit/log-routes.js';
import { auditRoutes } from './routes/audit/routes.js';
import { passwordRoutes } from './routes/auth/passwords.js';
import { signInRoutes } from './routes/auth/sign-in.js';
import { signUpRoutes } from './routes/auth/sign-up.js';
import { webRoutes } from './routes/auth/web-client.js';
import { attachmentRoutes } from './routes/institutions/attachments.js';
import { institutionRoutes } from './routes/institutions/routes.js';
import { profileRoutes } from './routes/profiles/routes.js';
import { protocolRoutes } from './routes/protocols/routes.js';
import { specialtyRoutes } from './routes/specialties/routes.js';
import { userRoutes } from './routes/users/routes.js';

/** Returns the administration routes. */
export const routesOf = (app: RouteContext): readonly Route[] => [
  ...protocolRoutes(app),
  ...institutionRoutes(app),
  ...specialtyRoutes(app),
  ...auditRoutes(app),
  ...historyRoutes(app),
  ...decisionRoutes(app),
  ...logRoutes(app),
  ...userRoutes(app),
  ...profileRoutes(app),
  ...attachmentRoutes(app),
];

/** Returns the routes of sign-in, sign-up, passwords and the web client. They are served only at their own paths. */
export const signInRoutesOf = (app: RouteContext): readonly Route[] => [
  ...signInRoutes(app),
  ...signUpRoutes(app),
  ...passwordRoutes(app),
  ...webRoutes(app),
];

/** Returns the groups of all routes. The router, OpenAPI and the tests that walk every route read these lists. */
export const groupsOf = (app: RouteContext): readonly RouteGroup[] => [
  { routes: routesOf(app), prefixes: ['', '/admin-service'] },
  { routes: signInRoutesOf(app), prefixes: [''] },
];
