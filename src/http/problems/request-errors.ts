// The errors of a request, at most one for each place, bounded in number and size.
import type { FieldErrorCode } from '../../domain/errors.js';

/** An error of a request: in the body (a JSON pointer, RFC 6901), or in a path, query or header parameter. */
export type RequestError = { readonly code: FieldErrorCode; readonly message: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
);

/** The bounds of one list of errors. Lengths are in characters; `bytes` is the size of the errors as JSON. */
export const errorLimits = { errors: 100, bytes: 65_536, pointer: 512, parameter: 200, message: 300 } as const;

/** A list of errors in a problem document. */
export interface ErrorList {
  readonly errors: readonly RequestError[];
  /** Whether the request has more errors than `errors` lists. */
  readonly isCut: boolean;
}

/** Collects errors. Keeps only the first error of each place. */
export class RequestErrors implements ErrorList {
  readonly #byPlace = new Map<string, RequestError>();
  #bytes = 0;
  #isCut = false;

  get errors(): readonly RequestError[] {
    return [...this.#byPlace.values()];
  }

  /** Whether an error was omitted. The caller can then stop checking. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Adds an error of the value at this path of keys. */
  inBody(path: readonly PropertyKey[], code: FieldErrorCode, message: string): void {
    if (this.#isCut) return;
    const pointer = pointerTo(path);
    this.#add(`/${pointer}`, { pointer, code, message: shortened(message, errorLimits.message) });
  }

  /** Adds an error of a path, query or header parameter. */
  inParameter(name: string, code: FieldErrorCode, message: string): void {
    if (this.#isCut) return;
    const parameter = shortened(name, errorLimits.parameter);
    this.#add(parameter, { parameter, code, message: shortened(message, errorLimits.message) });
  }

  #add(place: string, error: RequestError): void {
    // Counts a known place, too: truncated pointers may be equal, and a body may contain any number of them.
    this.#bytes += Buffer.byteLength(JSON.stringify(error));
    const isNew = !this.#byPlace.has(place);
    this.#isCut = this.#bytes > errorLimits.bytes || (isNew && this.#byPlace.size === errorLimits.errors);
    if (isNew && !this.#isCut) this.#byPlace.set(place, error);
  }
}

/**
 * Returns a path of keys as a JSON pointer (RFC 6901). Truncates a pointer that is longer than `errorLimits.pointer`
 * and ends it with an ellipsis.
 */
export const pointerTo = (path: readonly PropertyKey[]): string => {
  let pointer = '';
  for (const key of path) {
    // A key may be as long as the body.
    const start = String(key).slice(0, errorLimits.pointer);
    pointer += `/${start.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (pointer.length > errorLimits.pointer) break;
  }
  return shortened(pointer, errorLimits.pointer);
};

const shortened = (text: string, longest: number): string =>
  (text.length > longest ? `${text.slice(0, longest - 1)}…` : text).toWellFormed();
