// Reads events of older schema versions. Every read returns the current shape, and the log keeps the recorded shape.
import { describe, expect, it } from 'vitest';
import { EventTooNew } from '../../../src/infrastructure/errors.js';
import { interpretable, type NewEvent } from '../../../src/infrastructure/facts/facts.js';
import { SealedFacts } from '../../../src/infrastructure/persons/sealed-facts.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { openSealed } from '../persons/support/harness.js';
import {
  collect,
  eventsOf,
  newAggregate,
  newEvent,
  newStream,
  pagesOf,
  Subscriber,
  written,
} from './support/harness.js';

// Version 1 had one name, version 2 a list of names, version 3 counts them.
const upcasters = new Map([
  [
    'Named',
    [
      ({ name }: { readonly name: string }) => ({ names: [name] }),
      ({ names }: { readonly names: readonly string[] }) => ({ names, count: names.length }),
    ],
  ],
]);

const withEvents = async (...events: readonly NewEvent[]) => {
  const { stored, ...sealing } = openSealed(temporaryDirectory());
  const aggregate = newAggregate();
  const stream = newStream(aggregate);
  written(await stored.append(stream, 'no-stream', events));
  return {
    stored,
    facts: new SealedFacts(stored, { ...sealing, upcasters }),
    stream,
    range: { aggregates: [aggregate], after: undefined },
  };
};

const ofVersion = (schemaVersion: number, data: unknown, type = 'Named'): NewEvent => {
  const event = newEvent(data);
  return { ...event, type, metadata: { ...event.metadata, schemaVersion } };
};

const EVERY_VERSION = [
  ofVersion(1, { name: 'Ana' }),
  ofVersion(2, { names: ['Ana', 'Bia'] }),
  ofVersion(3, { names: ['Ana'], count: 1 }),
];

describe('events of older schema versions', () => {
  it('have the current shape and version in every kind of read', async () => {
    const { facts, stream, range } = await withEvents(...EVERY_VERSION);
    const current = [
      { data: { names: ['Ana'], count: 1 }, metadata: { schemaVersion: 3 } },
      { data: { names: ['Ana', 'Bia'], count: 2 }, metadata: { schemaVersion: 3 } },
      { data: { names: ['Ana'], count: 1 }, metadata: { schemaVersion: 3 } },
    ];
    expect(await collect(facts.readStream(stream))).toMatchObject(current);
    expect(await collect(facts.readStream(stream, { backwards: true }))).toMatchObject(current.toReversed());
    expect(eventsOf(await pagesOf(facts, range, 10))).toMatchObject(current);
    const subscriber = new Subscriber(facts, range);
    await eventually(() => expect(subscriber.events).toMatchObject(current));
    await subscriber.end();
  });

  it('stay as they were recorded in the log itself', async () => {
    const { stored, stream } = await withEvents(...EVERY_VERSION);
    expect(await collect(stored.readStream(stream))).toMatchObject(EVERY_VERSION);
  });
});

describe('an event of an unknown schema version', () => {
  it.each([4, 0, -1, '1'])('stays as it is and must not be interpreted: %j', async (version) => {
    const event = ofVersion(version as number, { name: 'Ana' });
    const { facts, stream } = await withEvents(event);
    const [found] = await collect(facts.readStream(stream));
    expect(found).toMatchObject({ ...event, flaw: { kind: 'too-new' } });
    for (const part of [EventTooNew, stream, event.id, `${version}`]) {
      expect(() => found && interpretable(found)).toThrow(part as string);
    }
  });

  it('is read as it is if its type is unknown, too', async () => {
    const event = ofVersion(2, { any: 'thing' }, 'Praised');
    const { facts, stream } = await withEvents(event);
    const [found] = await collect(facts.readStream(stream));
    expect(found).toMatchObject(event);
    expect(found).not.toHaveProperty('flaw');
  });
});
