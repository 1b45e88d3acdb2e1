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
  const end = () => ending.abort(SILENCE);
  let timer = setTimeout(end, PATIENCE_MS);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(end, PATIENCE_MS);
  };
  try {
    const response = await fetch(input, { ...init, signal: ending.signal });
    // A redirect that is not followed shows nothing.
    if (response.type === 'opaqueredirect') return response;
    const text = await textOf(response, heard);
    if (response.status !== 204) requireObject(text);
    return new Response(text || null, response);
  } catch (cause) {
    throw unreachable(ending.signal.aborted ? SILENCE : cause);
  } finally {
    clearTimeout(timer);
  }
};

const textOf = async ({ body }: Response, heard: () => void): Promise<string> => {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  for (;;) {
    heard();
    const part = await reader?.read();
    text += decoder.decode(part?.value, { stream: part?.done === false });
    if (part?.done !== false) return text;
  }
};

/** Rejects what the service never sends: its responses are objects, also its refusals. */
const requireObject = (json: string): void => {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) throw new Error('the response is no object');
};
