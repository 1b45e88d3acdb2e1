// An export of the audit trail ends at the position at which it began, and its reader loses it with the right to read it,
// also if the reader reads nothing meanwhile.
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { administratorBy, type Caller, decide, newCaller } from '../http/support/callers.js';
import { successful } from '../http/support/samples.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { openSocket, readResponse } from '../support/raw-http.js';
import type { Server } from '../support/server.js';
import { type Engines, WatchedServer, withStores } from './support/sets.js';

const AUTH = { AUTH: 'required' };
// More than the sockets of two processes hold: about 36 MB.
const [APPENDS, EVENTS_AT_ONCE, PAYLOAD] = [60, 50, 'x'.repeat(12_000)];
// The chunk that ends a body of unknown length (RFC 9112, 7.1).
const LAST_CHUNK = /\r\n0\r\n\r\n$/;

const fill = (engines: Engines): Promise<void> =>
  withStores(engines, async ({ facts }) => {
    for (let n = 0; n < APPENDS; n += 1) {
      const data = { what: 'events', filter: { type: PAYLOAD } };
      const events = Array.from({ length: EVENTS_AT_ONCE }, () => ({ ...newEvent(data), type: 'AuditTrailRead' }));
      await facts.append(`auditRead-${randomUUID()}`, 'no-stream', events);
    }
  });

type Lose = (at: Server, root: Caller, reader: Caller) => Promise<unknown>;

const NOTHING = 'nothing lost';
/** How a reader loses the right. One process sends the export, and another may take the right away. */
const LOSSES: Readonly<Record<string, Lose>> = {
  [NOTHING]: async () => undefined,
  'signed out': async (at, _, { authorization }) => {
    const { items } = successful(await at.get<Sessions>('/auth-service/sessions', authorization)).body;
    for (const { id } of items) await at.send('DELETE', `/auth-service/sessions/${id}`, { headers: authorization });
  },
  rejected: (at, root, { user }) => decide(at, root, user, 'reject'),
  disabled: async (at, { authorization }, { user }) =>
    successful(await at.put(`/users/${user.id}`, { enabled: false }, authorization)),
  erased: async (at, { authorization }, { user }) =>
    successful(await at.send('DELETE', `/users/${user.id}/personal-data`, { headers: authorization })),
};
interface Sessions {
  readonly items: readonly { readonly id: string }[];
}

const EXPORTS = Object.entries(LOSSES).flatMap(([loss, lose]) =>
  ['application/x-ndjson', 'application/cloudevents-batch+json'].map((accept) => [loss, lose, accept] as const),
);

/** Begins an export, and reads nothing after the head of its response. */
const begin = async ({ url }: Server, { authorization }: Caller, accept: string) => {
  const socket = await openSocket(url);
  const fields = Object.entries({ Host: 'localhost', Connection: 'close', Accept: accept, ...authorization });
  socket.write(`GET /audit/events HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
};

interface Begun {
  readonly loss: string;
  readonly lose: Lose;
  readonly accept: string;
  readonly caller: Caller;
  readonly socket: Awaited<ReturnType<typeof begin>>;
}

/** Declares the test. `processes`: how many processes may use the engines at once. */
export const longResponsesSuite = (startEngines: () => Engines | Promise<Engines>, processes: 1 | 2): void => {
  it('an export ends where it began, and is cut when its reader may not read it any longer', {
    timeout: 240_000,
  }, async () => {
    const engines = await startEngines();
    await fill(engines);
    const started = async (roles: string) => {
      const server = new WatchedServer(engines, { ...AUTH, ROLES: roles });
      onTestFinished(() => server.stop().then(() => undefined));
      await server.start();
      return server;
    };
    const server = await started('all');
    const other = processes === 1 ? server : await started('http');
    const root = await administratorBy(server, (command, input) =>
      run('cli', { environment: engines.environment, arguments: command, input }),
    );
    const begun: Begun[] = [];
    for (const [loss, lose, accept] of EXPORTS) {
      const caller = await newCaller(server, root, { type: 'AUDITOR' });
      begun.push({ loss, lose, accept, caller, socket: await begin(server, caller, accept) });
    }
    const later = `Later ${randomUUID()}`;
    successful(await other.post('/specialties', { name: later }, root.authorization));
    for (const { lose, caller } of begun) await lose(other, root, caller);

    const linesOf = ({ caller }: Begun) =>
      server.log.filter((line) => line['userId'] === caller.user.id && line['path'] === '/audit/events');
    for (const each of begun.filter(({ loss }) => loss !== NOTHING)) {
      await eventually(() => expect(linesOf(each), each.loss).toMatchObject([{ status: 499 }]));
    }
    for (const { loss, accept, socket } of begun) {
      const { status, body } = await readResponse(socket);
      expect([status, LAST_CHUNK.test(body)], `${loss} ${accept}`).toEqual([200, loss === NOTHING]);
      expect(body.includes(later)).toBe(false);
    }
    expect(server.uncaught).toEqual([]);
  });
};
