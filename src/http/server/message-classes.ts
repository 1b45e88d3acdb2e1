// The classes of requests and responses. Express gives each request and response the prototypes of the application when
// it handles them (`Object.setPrototypeOf` in `app.handle`). An object whose prototype changes loses its shape in V8,
// and each access to it is slow from then on. Objects that are created with these prototypes keep their shape.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Returns the classes that the server creates requests and responses with, and makes their prototypes Express's own.
 */
export const messageClassesOf = (app: Express): MessageClasses => {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
};
