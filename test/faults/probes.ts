// One request of each kind, sent together while an engine is unavailable, and their responses.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Institution } from '../http/samples.js';
import type { Client, ClientResponse } from '../support/client.js';
import { expectUnavailable } from './locking.js';

/** The status of the answer to each kind of request. */
export interface Statuses {
  readonly write: number;
  readonly 'write under an Idempotency-Key': number;
  readonly 'read of one': number;
  /** It is answered from the facts. */
  readonly 'read of one as of an instant': number;
  readonly list: number;
  readonly '/livez': number;
  readonly '/readyz': number;
  readonly '/metrics': number;
}

// The longest chain of deadlines is 10 s; the rest is for a busy machine. What hangs takes longer than any such time.
const ANSWERED_MS = 20_000;

/** The answer, which must come before a client would give up. */
export const answeredSoon = async <A>(answer: Promise<A>): Promise<A> => {
  const began = performance.now();
  const answered = await answer;
  expect(performance.now() - began).toBeLessThan(ANSWERED_MS);
  return answered;
};

/** Sends them; what is not answered with a success must say when to ask again, and `/readyz` why it is not ready. */
export const probe = async (client: Client, known: Institution): Promise<Statuses> => {
  const { id, name, createdAt } = known;
  const sent: Record<keyof Statuses, Promise<ClientResponse>> = {
    write: client.post('/institutions', { name }),
    'write under an Idempotency-Key': client.post('/institutions', { name }, { 'Idempotency-Key': randomUUID() }),
    'read of one': client.get(`/institutions/${id}`),
    'read of one as of an instant': client.get(`/institutions/${id}?asOf=${createdAt}`),
    list: client.get('/institutions'),
    '/livez': client.get('/livez'),
    '/readyz': client.get('/readyz'),
    '/metrics': client.get('/metrics'),
  };
  const answers = Object.entries(sent).map(async ([kind, answer]) => [kind, judged(kind, await answeredSoon(answer))]);
  return Object.fromEntries(await Promise.all(answers));
};

const judged = (kind: string, answer: ClientResponse): number => {
  if (kind === '/readyz' && answer.status === 503) {
    expect(answer.body).toMatchObject({ status: 'not-ready', reason: expect.stringMatching(/./) });
  } else if (answer.status >= 300) {
    expectUnavailable(answer);
  }
  return answer.status;
};
