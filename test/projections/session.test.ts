// How a session joins pages of the log into commits, and finds the event at fault, without a store.
import { describe, expect, it } from 'vitest';
import { StoresApart } from '../../src/infrastructure/errors.js';
import type { Facts, LogPage } from '../../src/infrastructure/facts/facts.js';
import type { Commit, Views } from '../../src/infrastructure/views/views.js';
import { runSession } from '../../src/projections/session.js';
import { at } from '../infrastructure/views/support/harness.js';
import { numbers } from '../support/items.js';
import { uuidOf } from '../support/specification.js';
import { FragileProjection } from './support/fragile.js';
import { recorded } from './support/recorded.js';
import { quiet } from './support/replay.js';

const happened = (n: number, name = 'a') =>
  recorded(n, { type: 'Happened', data: { name } }, { aggregate: 'fragile', id: uuidOf(n) });
const pageOf = (...events: LogPage['events']): LogPage => ({ events, position: events.at(-1)?.position, atEnd: false });

/** Runs a building generation over these pages. Returns the positions of its commits, and how it ended. */
const runOver = async (
  pages: readonly LogPage[],
  rejects: (commit: Commit) => boolean = () => false,
  judge?: () => Promise<string | undefined>,
) => {
  const commits: Commit['position'][] = [];
  const stopped: unknown[] = [];
  const named: unknown[] = [];
  const promotedAfter: number[] = [];
  const facts: Pick<Facts, 'subscribe' | 'head'> = {
    async *subscribe() {
      yield* pages;
    },
    head: async () => at(99),
  };
  const views: Partial<Views> = {
    load: async () => [],
    prepare: async (_, log) => void named.push([log, commits.length]),
    checkpoints: async () => [],
    promote: async () => promotedAfter.push(commits.length) > 0,
    setStopped: async (_, event) => void stopped.push(event?.position),
    commit: async (commit) => {
      if (rejects(commit)) throw new RangeError('it is too large');
      return commits.push(commit.position) > 0;
    },
  };
  const stores = {
    ...{ facts: facts as Facts, views: views as Views, log: quiet, progress: { advanced: () => undefined } },
    metrics: { folded: () => undefined, stopped: () => undefined },
    ...(judge && { judge }),
  };
  const lease = { projection: 'fragile', number: 1, owner: 'a' };
  const checkpoint = { ...lease, version: 1, state: 'building', position: undefined, stopped: undefined } as const;
  const { signal } = new AbortController();
  const { projection } = new FragileProjection('fragile');
  await runSession(stores, projection, { ...checkpoint, heldBy: 'a' }, { lease, signal });
  return { commits, stopped, promotedAfter, named };
};

describe('the log of a session', () => {
  const pages = [
    { ...pageOf(), position: at(1), atEnd: true },
    { ...pageOf(happened(2)), atEnd: true },
  ];

  it('names the read model before its first position is stored, also that of a page without events, and once', async () => {
    const { named } = await runOver([...pages, ...pages], undefined, async () => 'mine');
    expect(named).toEqual([['mine', 0]]);
  });

  it('is not folded if the vault belongs to another', async () => {
    let commits = 0;
    const count = () => {
      commits += 1;
      return false;
    };
    const judge = async () => {
      throw new StoresApart('other');
    };
    await expect(runOver(pages, count, judge)).rejects.toThrow(StoresApart);
    expect(commits).toBe(0);
  });
});

describe('a session that catches up', () => {
  it('joins eight pages into a commit, and those at the end of the log', async () => {
    const pages = numbers(1, 18).map((n) => ({ ...pageOf(happened(n)), atEnd: n === 18 }));
    const { commits, promotedAfter } = await runOver(pages);
    expect(commits).toEqual([at(8), at(16), at(18)]);
    expect(promotedAfter).toEqual([3]);
  });

  it.each([
    ['known', 'a', 3 * 1_024 * 1_024],
    ['measured', 'x'.repeat(3 * 1_024 * 1_024), undefined],
  ])('joins no more pages above 8 MB, if their sizes are %s', async (_, name, bytes) => {
    const pages = numbers(1, 3).map((n) => ({ ...pageOf(happened(n, name)), ...(bytes !== undefined && { bytes }) }));
    expect((await runOver(pages)).commits).toEqual([at(3)]);
  });
});

describe('the events of a commit that the store rejects', () => {
  const page = { ...pageOf(happened(1), happened(2, 'bad'), happened(3)), position: at(9), atEnd: true };

  it('are committed one by one up to the event at fault, before which the session stops', async () => {
    const { commits, stopped, promotedAfter } = await runOver([page], ({ writes }) =>
      writes.some(({ body }) => body.includes('bad')),
    );
    expect({ commits, stopped, promotedAfter }).toEqual({ commits: [at(1)], stopped: [at(2)], promotedAfter: [] });
  });

  it('are all committed if none is at fault alone, the last at the position of the page', async () => {
    const { commits, stopped, promotedAfter } = await runOver([page], ({ writes }) => writes.length > 2);
    expect({ commits, stopped, promotedAfter }).toEqual({
      ...{ commits: [at(1), at(2), at(9)], stopped: [], promotedAfter: [3] },
    });
  });
});
