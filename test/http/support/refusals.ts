// Assertions on refused requests: the problem document (RFC 9457), the errors in it, and that nothing was stored.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { ClientResponse } from '../../support/client.js';
import { since } from '../../support/opaque.js';
import type { Service } from '../../support/service.js';
import { successful } from './samples.js';

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly code: string;
    readonly message: string;
  }[];
  readonly errorsTruncated?: true;
}

/** Asserts that the response is this problem. Returns the problem document. */
export const expectProblem = (
  { status, headers, body }: ClientResponse,
  expected: number,
  code: string,
): ProblemDocument => {
  const document = body as ProblemDocument;
  expect({ status, code: document.code }).toEqual({ status: expected, code });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(document).toMatchObject({ status: expected, type: expect.stringMatching(/^[a-z]+:.+/) });
  if (expected === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  for (const text of [document.title, document.detail, document.instance]) expect(text).not.toBe('');
  return document;
};

/** Returns the errors in order, such as `/name blank` for a field and `limit invalid-type` for a parameter. */
export const faultsOf = ({ body }: ClientResponse): readonly string[] =>
  ((body as ProblemDocument).errors ?? [])
    .map(({ pointer, parameter, code }) => `${pointer ?? parameter} ${code}`)
    .toSorted();

/** Asserts that the response is 400 with exactly these errors. */
export const expectRefused = (response: ClientResponse, ...faults: readonly string[]): void => {
  expectProblem(response, 400, 'fields-refused');
  expect(faultsOf(response)).toEqual(faults.toSorted());
};

/** Asserts that a request changes neither the log nor the lists. Resolves to the response. */
export const expectNothingStored = async <T>(
  server: Service,
  send: () => Promise<ClientResponse<T>>,
): Promise<ClientResponse<T>> => {
  const before = await everythingStored(server);
  const response = await send();
  expect(await everythingStored(server)).toEqual(before);
  return response;
};

const everythingStored = async (server: Service) => {
  const head = await server.head();
  const lists = ['/institutions', '/protocols', '/specialties', '/users', '/profiles'].map(async (list) => {
    const { body } = successful(await server.get(`${list}?limit=200`, since(await server.opaque(), head)));
    return createHash('sha256').update(JSON.stringify(body)).digest('hex');
  });
  return { head, lists: await Promise.all(lists) };
};
