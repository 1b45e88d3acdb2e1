// Every long loop over a store gives the event loop a turn after each page, however many events there are.

import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { decisionPage, decisionPages } from '../../src/audit/decisions.js';
import { evidenceOf } from '../../src/audit/evidence.js';
import { asLines } from '../../src/audit/formats.js';
import { historyPage } from '../../src/audit/history.js';
import { profileHistory } from '../../src/audit/profile-history.js';
import { AuditTrail, FROM_THE_BEGINNING, type TrailFilter } from '../../src/audit/trail.js';
import { Streams } from '../../src/commands/streams.js';
import { user } from '../../src/domain/user/user.js';
import { RequestContext } from '../../src/http/response/request-context.js';
import { sendResponse } from '../../src/http/response/sending.js';
import { listen } from '../../src/http/server/server.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { PAGE } from '../../src/infrastructure/pages.js';
import { reclaim } from '../../src/operations/reclaim.js';
import { verify } from '../../src/operations/verify.js';
import { formPage } from '../../src/projections/listed-forms.js';
import { expectTurns } from '../support/event-loop.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { uuidOf } from '../support/specification.js';
import { type Engines, folded, largeStore, profileIdOf, type Size, signed } from './support/large-store.js';

const read = async <T>(pages: AsyncIterable<T>): Promise<number> => {
  let count = 0;
  for await (const _ of pages) count += 1;
  return count;
};

/** Returns facts that count the pages of the log that were read, and take `ms` for each. */
const counted = (facts: Facts, ms: number) => {
  const counter = { pages: 0 };
  const readLog: Facts['readLog'] = async (range, limit) => {
    counter.pages += 1;
    await pause(ms);
    return facts.readLog(range, limit);
  };
  return { counter, facts: Object.assign(Object.create(facts) as Facts, { readLog }) };
};

/** Tests the long loops on the engines that `open` returns. `fresh` returns another vault and other views, empty. */
export const longLoopsSuite = (
  name: string,
  open: () => Promise<Engines>,
  fresh: () => Promise<Pick<Engines, 'vault' | 'views'>>,
  size: Size,
): void => {
  const events = 5 * size.users + 1 + size.stream;
  describe(`beside ${events} events, ${size.users} users and a stream of ${size.stream} events on ${name}`, () => {
    const { signal } = new AbortController();
    let store: Awaited<ReturnType<typeof largeStore>>;
    let trail: AuditTrail;
    beforeAll(async () => {
      store = await largeStore(await open(), size);
      trail = new AuditTrail(store.facts);
      return store.close;
    }, 900_000);

    const subject = { userId: uuidOf(1), profileId: profileIdOf(1) };
    const missing: TrailFilter = { type: 'UserErased' };
    const limits = { events: 200, logPages: 200 };
    const evidence = async () => {
      const made = await evidenceOf({ ...store, timeoutMs: 0 }, subject);
      expect(made).toBeDefined();
      return made && read(made.texts);
    };
    const decided = { after: undefined, limit: 200 };
    const named = () => ({ ...store, ...store.past });
    const nowhere = { institutionId: uuidOf(9) };
    const listed = (collection: string, where = {}) =>
      store.views.list({ collection, where, order: 'oldest-first', after: undefined, limit: 200 });

    it.each<[string, () => Promise<unknown>]>([
      ['a page of the audit trail without a match', () => trail.page(missing, FROM_THE_BEGINNING, limits)],
      ['the audit trail as JSON lines without a match', () => read(asLines(lines(missing)))],
      ['the whole audit trail as JSON lines', () => read(asLines(lines({})))],
      ['the audit trail of a long stream', () => read(asLines(lines({ stream: `user-${uuidOf(1)}` })))],
      ['the history of a profile', () => read(profileHistory(store.facts, subject))],
      ['a page of the history of a user', () => historyPage(store.facts.readStream(`user-${uuidOf(1)}`), 200)],
      ['evidence', evidence],
      ['the load of a long stream', () => new Streams(store.facts).fresh(user, uuidOf(1))],
      ['a page of decisions', () => decisionPage(named(), {}, decided)],
      ['decisions without a match', () => decisionPage(named(), nowhere, decided)],
      ['all decisions', () => read(decisionPages(named(), {}, { ...decided, limit: Infinity }))],
      ['forms without a match', () => formPage(store.views, nowhere, decided)],
      ['the list of users', () => listed('users')],
      ['the list of profiles', () => listed('profiles', { approvalStatus: 'APPROVED' })],
      ['verify', () => read(verify({ ...store, contradiction: async () => undefined }))],
      ['reclaim', () => reclaim(store, signal)],
    ])('%s leaves the event loop to others', (_, task) => expectTurns(task), 600_000);

    async function* lines(filter: TrailFilter) {
      for await (const page of trail.read(filter, FROM_THE_BEGINNING)) yield page.events;
    }

    it(
      'a rebuild of the read models leaves the event loop to others',
      () =>
        expectTurns(async () => {
          const { views, vault } = await fresh();
          await folded(store.facts, views);
          for (const each of [views, vault]) await each.close();
        }),
      600_000,
    );

    it(
      'the growth of the signed tree leaves the event loop to others',
      () =>
        expectTurns(async () => {
          const { views, vault } = await fresh();
          await signed({ ...store, vault });
          for (const each of [views, vault]) await each.close();
        }),
      600_000,
    );

    it.each([
      ['of all events', {}, 2],
      ['without a match', missing, 0],
    ])('an export %s reads no more pages once its client is gone', async (_, filter, parts) => {
      const { counter, facts } = counted(store.facts, 5);
      const app = express();
      let isEnded = false;
      const pages = async function* () {
        try {
          for await (const page of new AuditTrail(facts).read(filter, FROM_THE_BEGINNING)) yield page.events;
        } finally {
          isEnded = true;
        }
      };
      app.use((__, response) => {
        response.locals = new RequestContext(response, undefined, []);
        void sendResponse(response, { status: 200, headers: {}, body: asLines(pages()) }, 'application/x-ndjson');
      });
      const server = await listen(app, '127.0.0.1', 0);
      const socket = await openSocket(server.url);
      socket.write('GET /export HTTP/1.1\r\nHost: localhost\r\n\r\n');
      for (let part = 0; part < parts; part += 1) await new Promise((resolve) => socket.once('data', resolve));
      await eventually(() => expect(counter.pages).toBeGreaterThan(0));
      socket.destroy();
      await eventually(() => expect(isEnded).toBe(true));
      const { pages: readOnce } = counter;
      await pause(50);
      expect(counter.pages).toBe(readOnce);
      expect(readOnce).toBeLessThan(events / PAGE.items / 2);
      await server.close(0);
    });
  });
};
