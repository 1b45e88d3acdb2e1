// The OpenAPI document of a service that requires sign-in, without a service.
import { openApiOf } from '../src/http/openapi/document.js';
import type { RouteContext } from '../src/http/route/context.js';
import { groupsOf } from '../src/http/routes.js';

/** Returns the text of the document. Only the declarations are read. No handler runs, so the routes need no app. */
export const openApiDocument = (): string => JSON.stringify(openApiOf(groupsOf({} as RouteContext), 'required'));
