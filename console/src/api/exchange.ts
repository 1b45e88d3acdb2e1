// One exchange with the service: a request, and the whole of its response.
import { unreachable } from './refusal.js';

/** How long a reader waits for the next byte of a response, and a tab for another one. */
export const PATIENCE_MS = 20_000;

/** Why an exchange ended that was silent for too long. */
export const SILENCE = new Error(`nothing arrived for ${PATIENCE_MS / 1_000} s`);

/**
 * Sends a request, and reads its response to the end. Rejects with `Refusal` if the service cannot be reached: nothing
 * arrives for a while, the connection breaks, or something else responds, which does not respond with JSON.
 */
export const exchange = async (input: Request | string, init: RequestInit = {}): Promise<Response> => {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ending.abort(SILENCE), PATIENCE_MS);
  };
  try {
    heard();
    const response = await fetch(input, { ...init, signal: ending.signal });
    // A redirect that is not followed shows nothing.
    if (response.type === 'opaqueredirect') return response;
    // A response that is read part by part has no end for the tools of Chromium, but its copy may be read so.
    const [, text] = await Promise.all([everyPart(response.clone(), heard), response.text()]);
    const value: unknown = response.status === 204 ? {} : JSON.parse(text);
    // All responses of the service are objects, also its refusals.
    if (Object(value) !== value) throw new Error('the response is no object');
    return new Response(text || null, response);
  } catch (cause) {
    throw unreachable(ending.signal.aborted ? SILENCE : cause);
  } finally {
    clearTimeout(timer);
  }
};

/** Calls `heard` for the head of a response, and for each part of its body. */
const everyPart = async ({ body }: Response, heard: () => void): Promise<void> => {
  const reader = body?.getReader();
  heard();
  while ((await reader?.read())?.done === false) heard();
};
