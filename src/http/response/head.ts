// Holds the headers of a response until they are written. Node.js checks, copies and lists each header that `setHeader`
// receives. A list that `writeHead` receives goes straight into the text of the response. So the headers of every
// response wait here. They are set one by one only if a library writes the response or reads its headers.
import type { Response } from 'express';

/** Headers as `writeHead` accepts them: a name, its value or values, the next name, and so on. */
export type Fields = readonly (string | readonly string[])[];

/** The status and the headers of a response. */
export class Head {
  readonly #response: Response;
  readonly #requestId: string;
  #common: Fields | undefined;
  #vary = '';

  /** `common`: the headers of every response, except X-Request-Id and Vary. */
  constructor(response: Response, requestId: string, common: Fields) {
    this.#response = response;
    this.#requestId = requestId;
    this.#common = common;
  }

  /** Adds the name of a request header to Vary. */
  varyBy(name: string): void {
    if (this.#common === undefined) this.#response.vary(name);
    else this.#vary = this.#vary === '' ? name : `${this.#vary}, ${name}`;
  }

  /** Sets the headers of every response now, one by one. */
  set(): void {
    const fields = this.#with([]);
    this.#common = undefined;
    for (let at = 0; at < fields.length; at += 2) this.#response.setHeader(String(fields[at]), fields[at + 1] ?? '');
  }

  /** Writes the status and the headers: the common headers, the headers that were set, and `fields`. */
  write(status: number, fields: Fields = []): Response {
    return this.#response.writeHead(status, this.#with(fields) as string[]);
  }

  #with(fields: Fields): Fields {
    if (this.#common === undefined) return fields;
    const vary = this.#vary === '' ? [] : ['Vary', this.#vary];
    return [...this.#common, 'X-Request-Id', this.#requestId, ...vary, ...fields];
  }
}

/** Returns headers by name as a list. */
export const fieldsOf = (
  headers: Readonly<Record<string, string | readonly string[]>>,
): (string | readonly string[])[] => Object.entries(headers).flat(1);
