// Every route of the service, in two lists.

import { attachmentRoutes } from './attachment-routes.js';
import { auditRoutes } from './audit-routes.js';
import { institutionRoutes } from './institution-routes.js';
import { passwordRoutes } from './password-routes.js';
import { profileRoutes } from './profile-routes.js';
import { protocolRoutes } from './protocol-routes.js';
import type { Route } from './route.js';
import type { Service } from './service.js';
import { signInRoutes } from './sign-in-routes.js';
import { signUpRoutes } from './sign-up-routes.js';
import { specialtyRoutes } from './specialty-routes.js';
import { userRoutes } from './user-routes.js';
import { webRoutes } from './web-routes.js';

/** The administration routes of the service; the router, OpenAPI and the tests that walk every route read this list. */
export const routesOf = (service: Service): readonly Route[] => [
  ...protocolRoutes(service),
  ...institutionRoutes(service),
  ...specialtyRoutes(service),
  ...personal(auditRoutes(service)),
  ...personal(userRoutes(service)),
  ...personal(profileRoutes(service)),
  ...personal(attachmentRoutes(service)),
];

/** Routes that answer with what is personal. */
const personal = (routes: readonly Route[]): readonly Route[] =>
  routes.map((route) => ({ ...route, isPersonal: true }));

/** The routes of signing in and up, of passwords and of the web client, each served at its own path alone. */
export const signInRoutesOf = (service: Service): readonly Route[] => [
  ...signInRoutes(service),
  ...signUpRoutes(service),
  ...passwordRoutes(service),
  ...webRoutes(service),
];
