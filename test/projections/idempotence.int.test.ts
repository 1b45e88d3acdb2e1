import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { allDeciders } from '../../src/domain/all.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { aggregateIdOf } from '../../src/infrastructure/stream-name.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { documentIdOf, type Projection } from '../../src/projections/projection.js';
import { temporaryDirectory } from '../support/directory.js';
import { Random } from '../support/random.js';
import { repetitions } from '../support/repetitions.js';
import { type Batch, foldingInto, randomBatches } from './support/deliveries.js';
import { Historian } from './support/history.js';
import { eventsIn, expectedOf, replayed, snapshotOf } from './support/replay.js';
import { responsesOf } from './support/responses.js';

const SEED = 13;
const COMMANDS = 900;
// The commands that a seed draws change with every new command, so the history goes on until it has every type of event.
const MORE = 100;
const MOST_EVENTS = 10_000;
const seeds = Array.from({ length: repetitions('BATCH_SEEDS') }, (_, index) => index + 1);

const inBatchesOf = (size: number, events: Batch): Batch[] =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, n) => events.slice(n * size, (n + 1) * size));

const deliveries: Readonly<Record<string, (size: number, events: Batch) => Batch[]>> = {
  'each event three times in a row': (size, events) =>
    inBatchesOf(
      size,
      events.flatMap((event) => [event, event, event]),
    ),
  'each batch three times': (size, events) => inBatchesOf(size, events).flatMap((batch) => [batch, batch, batch]),
  'the log three times over': (size, events) => inBatchesOf(size, [...events, ...events, ...events]),
};

const typeOf = ({ type }: RecordedEvent) => type;
const isFolded = ({ aggregate }: { readonly aggregate: string }) =>
  allProjections.some(({ aggregates }) => aggregates.includes(aggregate));
const allTypes = allDeciders.filter(isFolded).flatMap(({ events }) => Object.keys(events));

describe('a read model that receives every event three times', () => {
  const facts = new SqliteFacts(temporaryDirectory());
  let history: Historian;
  let events: RecordedEvent[];
  let fresh: Views;

  beforeAll(async () => {
    history = await new Historian(facts, SEED).record(COMMANDS);
    events = await eventsIn(facts);
    while (events.length < MOST_EVENTS && !allTypes.every((type) => events.some((event) => event.type === type))) {
      await history.record(MORE);
      events = await eventsIn(facts);
    }
    fresh = await replayed(facts, allProjections);
  });
  afterAll(async () => {
    await fresh.close();
    await facts.close();
  });

  const newStore = async (projection: Projection) => {
    const views = new SqliteViews(temporaryDirectory());
    onTestFinished(() => views.close());
    return { views, ...(await foldingInto(views, projection)) };
  };

  const delivered = async (projection: Projection, batches: readonly Batch[]): Promise<Views> => {
    const { views, deliver } = await newStore(projection);
    for (const batch of batches) await deliver(batch);
    return views;
  };

  const eventsOf = ({ aggregates }: Projection) =>
    events.filter(({ stream }) => aggregates.includes(stream.slice(0, stream.indexOf('-'))));

  const expectSameAsFresh = async (projection: Projection, views: Views): Promise<void> => {
    const snapshot = await snapshotOf(views, projection);
    expect(snapshot).toStrictEqual(await snapshotOf(fresh, projection));
    expect(snapshot).toStrictEqual(expectedOf(projection, eventsOf(projection)));
    const [checkpoint] = await views.checkpoints();
    expect(checkpoint).toMatchObject({ position: eventsOf(projection).at(-1)?.position, stopped: undefined });
  };

  it.each(allDeciders.filter(isFolded))('is tested with events of every type: $aggregate', (decider) => {
    const types = new Set(events.filter(({ stream }) => stream.startsWith(`${decider.aggregate}-`)).map(typeOf));
    expect(types).toEqual(new Set(Object.keys(decider.events)));
    expect(events.length).toBeGreaterThan(300);
  });

  describe.each(allProjections)('$name', (projection) => {
    it.each(Object.keys(deliveries).flatMap((delivery) => [1, 7, 5_000].map((size) => ({ delivery, size }))))(
      'is the same as after a fresh replay ($delivery, in batches of $size)',
      async ({ delivery, size }) => {
        const batches = deliveries[delivery]?.(size, eventsOf(projection)) ?? [];
        await expectSameAsFresh(projection, await delivered(projection, batches));
      },
    );

    it.each(seeds)('is the same as after a fresh replay in random batches (seed %i)', async (seed) => {
      const random = new Random(seed);
      const batches = randomBatches(random, eventsOf(projection));
      await expectSameAsFresh(projection, await delivered(projection, batches));
    });

    it('equals, after each event, a replay of the log up to that event', async () => {
      const { views, deliver } = await newStore(projection);
      const handled = eventsOf(projection).slice(0, 60);
      for (const [n, event] of handled.entries()) {
        await deliver([event, event, event]);
        const upTo = handled.slice(0, n + 1);
        expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, upTo));
      }
    });
  });

  it.each(allProjections)(
    'keeps events of one stream in a document, so that they share revisions: $name',
    (projection) => {
      const streams = new Map<string, string>();
      const pairs = projection.folded.flatMap((collection) =>
        eventsOf(projection).map((event) => {
          const id = documentIdOf(collection, event, aggregateIdOf(event.stream));
          return { stream: event.stream, id: id && `${collection.name} ${id}` };
        }),
      );
      for (const { id, stream } of pairs.filter((pair) => pair.id !== undefined)) {
        expect(streams.get(id ?? '') ?? stream).toBe(stream);
        streams.set(id ?? '', stream);
      }
      expect(new Set(streams.values()).size).toBeGreaterThan(1);
    },
  );

  it('leads to the same responses as the facts, byte for byte, with the same revisions', async () => {
    const nothing = new SqliteViews(temporaryDirectory());
    for (const projection of allProjections) await nothing.prepare(projection);
    const fromViews = await responsesOf({ facts, views: fresh, history });
    const fromFacts = await responsesOf({ facts, views: nothing, history });
    expect(fromViews.length).toBeGreaterThan(100);
    expect(fromViews).toStrictEqual(fromFacts);
    await nothing.close();
  });
});
