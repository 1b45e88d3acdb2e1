import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  AppendTooLarge,
  MAX_APPEND_BYTES,
  PersonalKeyMissing,
  StoreUnavailable,
} from '../../../src/infrastructure/errors.js';
import type { Facts, NewEvent, RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import type { Payload } from '../../../src/infrastructure/persons/personal-values.js';
import { SealedFacts } from '../../../src/infrastructure/persons/sealed-facts.js';
import { switchable } from '../../auth/support/auth-harness.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { memoryStores } from '../../support/opened-stores.js';
import { collect, eventsOf, newEvent, pagesOf, Subscriber, written } from '../facts/support/harness.js';
import { ana, openSealed, personal, registered, rejected } from './support/harness.js';

const users = { aggregates: ['user'], after: undefined };
const newUser = () => `user-${randomUUID()}`;
const personOf = (stream: string) => stream.slice('user-'.length);

/** Creates a user who was registered and then rejected for a reason. */
const withUser = async (directory = temporaryDirectory()) => {
  const opened = openSealed(directory);
  const stream = newUser();
  const events = [registered(), rejected('Not on the register')];
  written(await opened.facts.append(stream, 'no-stream', events));
  return { ...opened, directory, stream, events };
};

/** Returns the stream as each kind of read returns it, in order of revision. */
const readings = async (facts: Facts, stream: string): Promise<RecordedEvent[][]> => {
  const subscriber = new Subscriber(facts, users);
  await eventually(() => expect(subscriber.pages.at(-1)?.atEnd).toBe(true));
  await subscriber.end();
  const ofStream = (events: readonly RecordedEvent[]) => events.filter((event) => event.stream === stream);
  return [
    await collect(facts.readStream(stream)),
    (await collect(facts.readStream(stream, { backwards: true }))).reverse(),
    ofStream(eventsOf(await pagesOf(facts, users, 10))),
    ofStream(subscriber.events),
  ];
};

const erased = { firstName: null, email: null, document: null, birthDate: null };

describe('an event with personal fields', () => {
  it('is sealed in the log, and its other fields are readable', async () => {
    const { stored, stream } = await withUser();
    const [first, second] = await collect(stored.readStream(stream));
    expect(first?.data).toMatchObject({ ...erased, enabled: true, sealed: expect.any(String) });
    expect(second?.data).toMatchObject({ reason: null, profileId: expect.any(String), sealed: expect.any(String) });
    // Each pattern has a character that ids and sealed bytes do not have.
    expect(JSON.stringify([first, second])).not.toMatch(/Ana |Canário|390\.533|the register/);
  });

  it('is read as it was appended, by every kind of read in every process', async () => {
    const { facts, directory, stream, events } = await withUser();
    for (const reader of [facts, openSealed(directory).facts]) {
      for (const reading of await readings(reader, stream)) {
        expect(reading.map(({ id, data }) => ({ id, data }))).toStrictEqual(
          events.map(({ id, data }) => ({ id, data })),
        );
      }
    }
  });

  it('keeps the positions of the engine', async () => {
    const { facts, stored, stream } = await withUser();
    const positionsOf = (events: readonly RecordedEvent[]) =>
      events.map(({ position, revision }) => [position, revision]);
    expect(positionsOf(await collect(facts.readStream(stream)))).toEqual(
      positionsOf(await collect(stored.readStream(stream))),
    );
    expect(await facts.head()).toBe(await stored.head());
  });

  it('counts as the same append when it is repeated, although it is sealed again', async () => {
    const { facts, directory, stream, events } = await withUser();
    const again = await facts.append(stream, 'no-stream', events);
    expect(await openSealed(directory).facts.append(stream, 'no-stream', events)).toEqual(again);
    expect(await collect(facts.readStream(stream))).toHaveLength(2);
  });

  it('is stored unchanged if none of its personal fields has a value', async () => {
    const { facts, stored, vault } = openSealed(temporaryDirectory());
    const stream = newUser();
    const event = rejected(null);
    await facts.append(stream, 'no-stream', [event]);
    expect((await collect(stored.readStream(stream)))[0]?.data).toStrictEqual(event.data);
    expect(await vault.ofKind('person-key', undefined, 10)).toEqual([]);
  });

  it('of another program is read unchanged if its payload is not an object', async () => {
    const { facts, stored, watch } = openSealed(temporaryDirectory());
    const stream = newUser();
    await stored.append(stream, 'no-stream', [{ ...registered(), data: 'a text' }]);
    for (const reading of await readings(facts, stream)) expect(reading.map(({ data }) => data)).toEqual(['a text']);
    expect([watch.altered, watch.withoutKeys]).toEqual([[], []]);
  });

  it('is read with the digests of its values, whether it opens or not', async () => {
    const { facts, stored, stream, directory, vault } = await withUser();
    const [digests] = (await collect(stored.readStream(stream))).map(({ data }) => (data as Payload)['digests']);
    expect(Object.keys(digests as object)).toEqual(Object.keys(ana).map((name) => `/${name}`));
    expect((await collect(facts.readStream(stream)))[0]).toMatchObject({ digests, data: ana });
    await vault.removeSubject(personOf(stream));
    expect((await collect(openSealed(directory).facts.readStream(stream)))[0]).toMatchObject({ digests, data: erased });
  });
});

describe('an event without personal fields', () => {
  it('is stored and read unchanged, whatever the names of its members, and needs no vault', async () => {
    const { facts, stored, vault } = openSealed(temporaryDirectory());
    await vault.close();
    const stream = newUser();
    const event = newEvent({ sealed: 'with wax', firstName: 'Horse' });
    written(await facts.append(stream, 'no-stream', [event]));
    for (const reader of [facts, stored])
      expect((await collect(reader.readStream(stream)))[0]?.data).toEqual(event.data);
  });
});

describe('a person whose key was erased or lost', () => {
  it('has null fields in every kind of read, and is reported', async () => {
    const { directory, vault, stream } = await withUser();
    const other = await withUser(directory);
    await vault.removeSubject(personOf(stream));
    const { facts, watch } = openSealed(directory);
    for (const reading of await readings(facts, stream)) {
      expect(reading.map(({ data }) => data)).toStrictEqual([
        { ...Object.fromEntries(Object.keys(ana).map((name) => [name, null])), ...rest },
        { profileId: expect.any(String), reason: null },
      ]);
    }
    expect(new Set(watch.withoutKeys)).toEqual(new Set([personOf(stream)]));
    expect(watch.withoutKeys).toHaveLength(8);
    expect((await collect(facts.readStream(other.stream)))[0]?.data).toMatchObject(ana);
    expect(watch.altered).toEqual([]);
  });

  const rest = { enabled: true, externalAuthId: expect.any(String), acceptedTerms: true };

  it('gets no new key: events with personal fields are refused, and other events are appended', async () => {
    const { directory, vault, stream } = await withUser();
    await vault.removeSubject(personOf(stream));
    const { facts } = openSealed(directory);
    await expect(facts.append(stream, 1, [rejected('again')])).rejects.toBeInstanceOf(PersonalKeyMissing);
    written(
      await facts.append(stream, 1, [{ ...newEvent({ reason: 'asked to' }), type: 'UserErased' }, rejected(null)]),
    );
    expect(await vault.ofSubject('person-key', personOf(stream))).toEqual([]);
    expect(await collect(facts.readStream(stream))).toHaveLength(4);
  });

  it('gets no new key from an append that is repeated or conflicts', async () => {
    const { directory, vault, stream, events } = await withUser();
    await vault.removeSubject(personOf(stream));
    const { facts } = openSealed(directory);
    expect(await facts.append(stream, 'no-stream', events)).toMatchObject({ outcome: 'written', revision: 1 });
    for (const expected of ['no-stream', 0, 2, 99] as const) {
      expect(await facts.append(stream, expected, [registered()])).toEqual({ outcome: 'conflict' });
    }
    expect(await vault.ofSubject('person-key', personOf(stream))).toEqual([]);
    expect(await collect(facts.readStream(stream))).toHaveLength(2);
  });
});

describe('an event that was forged', () => {
  const unreadable = { kind: 'unreadable' };
  const dataOf = (event: RecordedEvent | undefined) => event?.data as Payload;

  it('has null fields, is unreadable and is reported, and stops no read', async () => {
    const { facts, stored, stream, watch, directory } = await withUser();
    const [own, rejection] = await collect(stored.readStream(stream));
    const [theirs] = await collect(stored.readStream((await withUser(directory)).stream));
    const { sealed: _, ...emptied } = dataOf(rejection);
    const forged: Readonly<Record<string, NewEvent>> = {
      'another event sealed it': { ...rejected(null), data: { reason: null, sealed: dataOf(rejection)['sealed'] } },
      'another stream sealed it': { ...registered(), data: { ...dataOf(own), sealed: dataOf(theirs)['sealed'] } },
      'it is not base64': { ...registered(), data: { ...dataOf(own), sealed: 'not even base64!' } },
      'it is not sealed': registered(),
      'it is sealed but for one value': { ...registered(), data: { ...dataOf(own), firstName: 'Eva' } },
      'its sealed values were removed': { ...rejected(null), data: emptied },
    };
    const events = Object.values(forged);
    written(await stored.append(stream, 1, events));
    written(await facts.append(stream, 1 + events.length, [rejected('the last')]));
    for (const reading of await readings(facts, stream)) {
      const read = reading.slice(2);
      expect(Object.keys(forged).map((why, at) => [why, read[at]])).toMatchObject(
        Object.entries(forged).map(([why, { type }]) => [
          why,
          { data: type === 'UserRegistered' ? { ...erased, enabled: true } : { reason: null }, flaw: unreadable },
        ]),
      );
      expect(read.at(-1)).toMatchObject({ data: { reason: 'the last' } });
    }
    expect(new Set(watch.altered)).toEqual(new Set(events.map(({ id }) => id)));
    expect(watch.withoutKeys).toEqual([]);
  });

  it('has no flaw if the person has no key, because the erasure ends the fault', async () => {
    const { facts, stored, stream, vault } = await withUser();
    written(await stored.append(stream, 1, [rejected('forged')]));
    await vault.removeSubject(personOf(stream));
    const [event] = await collect(facts.readStream(stream, { from: 2 }));
    expect(event).toMatchObject({ data: { reason: null } });
    expect(event).not.toHaveProperty('flaw');
  });
});

describe('a long stream', () => {
  it('is read as erased from the next read of the vault on if its person is erased meanwhile', async () => {
    const { facts, stream, vault } = await withUser();
    for (let from = 1; from < 600; from += 100) {
      const events = Array.from({ length: 100 }, () => rejected('reason'));
      written(await facts.append(stream, from, events));
    }
    const read: unknown[] = [];
    for await (const { data } of facts.readStream(stream)) {
      if (read.length === 1) await vault.removeSubject(personOf(stream));
      read.push((data as { reason?: unknown }).reason);
    }
    expect(read).toHaveLength(602);
    expect([read[200], read[256], read[601]]).toEqual(['reason', null, null]);
  });
});

describe('an append that is too large once it is sealed', () => {
  it('is rejected before anything is stored', async () => {
    const { facts, stored, vault } = openSealed(temporaryDirectory());
    const stream = newUser();
    const reason = 'x'.repeat(Math.ceil(MAX_APPEND_BYTES * 0.75));
    for (const expected of ['no-stream', 4] as const) {
      await expect(facts.append(stream, expected, [rejected(reason)])).rejects.toBeInstanceOf(AppendTooLarge);
    }
    expect(await vault.ofKind('person-key', undefined, 1)).toEqual([]);
    written(await facts.append(stream, 'no-stream', [registered()]));
    await expect(facts.append(stream, 0, [rejected(reason)])).rejects.toBeInstanceOf(AppendTooLarge);
    expect(await collect(stored.readStream(stream))).toHaveLength(1);
  });
});

describe('an unavailable vault', () => {
  it('makes appends and reads of personal fields fail, and no person look erased', async () => {
    const { directory, stream } = await withUser();
    const { store: vault, setUnavailable } = switchable(memoryStores(directory).vault);
    const { facts, watch } = openSealed(directory, { ...memoryStores(directory), vault });
    setUnavailable(true);
    for (const call of [
      facts.append(newUser(), 'no-stream', [registered()]),
      facts.append(stream, 1, [rejected('again')]),
      collect(facts.readStream(stream)),
      facts.readLog(users, 10),
    ]) {
      await expect(call).rejects.toBeInstanceOf(StoreUnavailable);
    }
    expect(watch.withoutKeys).toEqual([]);
  });
});

describe('concurrent appends for a new person', () => {
  it('agree on one key, in one process and in two', async () => {
    const directory = temporaryDirectory();
    const [one, other] = [openSealed(directory), openSealed(directory)];
    const stream = newUser();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).facts.append(stream, 'no-stream', [registered()])),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'written')).toHaveLength(1);
    for (const { facts } of [one, other, openSealed(directory)]) {
      expect((await collect(facts.readStream(stream)))[0]?.data).toMatchObject(ana);
    }
  });
});

describe('an event type that is personal as a whole', () => {
  it('cannot be sealed', () => {
    const { stored, ...options } = openSealed(temporaryDirectory());
    const whole = new Map([...personal, ['Whole', [[]]]]);
    expect(() => new SealedFacts(stored, { ...options, personal: whole })).toThrow('Whole');
  });
});
