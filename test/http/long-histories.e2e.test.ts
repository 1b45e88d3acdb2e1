// A history of 10,000 events, some of a type that this version does not know.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { metadata, written } from '../infrastructure/facts/support/harness.js';
import { nth } from '../support/items.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { createInstitution, successful } from './support/samples.js';

interface History {
  readonly items: readonly { readonly revision: number; readonly type: string; readonly reason: string | null }[];
  readonly nextCursor: string | null;
}

const server = embeddedServiceOfThisFile();
const EVENTS = 10_000;
const BATCH = 1_000;
let path: string;

beforeAll(async () => {
  const { id } = await createInstitution(server);
  path = `/institutions/${id}/history`;
  await server.stop();
  const facts = new SqliteFacts(server.directory);
  const moved = { type: 'InstitutionMoved', data: { to: 'Rua das Acácias, 17', reason: 'The lease ended.' } };
  const at = new Date().toISOString();
  for (let last = 0; last < EVENTS - 1; last = Math.min(last + BATCH, EVENTS - 1)) {
    const count = Math.min(BATCH, EVENTS - 1 - last);
    const events = Array.from({ length: count }, () => ({ ...moved, id: randomUUID(), metadata: { ...metadata, at } }));
    written(await facts.append(`institution-${id}`, last, events));
  }
  await facts.close();
  await server.start();
});

const page = async (query: string) => successful(await server.get<History>(`${path}?${query}`)).body;

describe('a history of 10,000 events', () => {
  it('has every event once, and names events of an unknown type without their content', async () => {
    const revisions: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { items, nextCursor }: History = await page(cursor === '' ? 'limit=200' : `limit=200&cursor=${cursor}`);
      revisions.push(...items.map(({ revision }) => revision));
      expect(JSON.stringify(items)).not.toMatch(/Acácias|lease/);
      expect(nth(items, -1)).toMatchObject({ type: 'InstitutionMoved', reason: null });
      cursor = nextCursor;
    }
    expect(revisions).toEqual(Array.from({ length: EVENTS }, (_, revision) => revision));
  });

  it('has pages that cost the same at its beginning and at its end', async () => {
    let [cursor, pages]: [string | null, string[]] = [null, []];
    do {
      const { nextCursor }: History = await page(cursor === null ? 'limit=200' : `limit=200&cursor=${cursor}`);
      cursor = nextCursor;
      if (cursor !== null) pages = [...pages, cursor];
    } while (cursor !== null);
    const costOf = async (query: string) => {
      const times: number[] = [];
      for (let n = 0; n < 15; n += 1) {
        const begun = performance.now();
        await page(query);
        times.push(performance.now() - begun);
      }
      return nth(
        times.toSorted((one, other) => one - other),
        0,
      );
    };
    const first = await costOf('limit=2');
    // A read of the whole stream would take fifty pages of it.
    expect(await costOf(`limit=2&cursor=${nth(pages, -1)}`)).toBeLessThan(5 * first + 5);
  });
});
