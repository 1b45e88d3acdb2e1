// Tests events that readers must not use as they are: with personal fields that do not open, or of a newer program.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EventTooNew } from '../../../src/infrastructure/errors.js';
import { type Flaw, interpretable, type RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import { FORMAT } from '../../../src/infrastructure/vault/store-format.js';
import { alterSealed, restoreSealed } from '../../operations/support/stores.js';
import { temporaryDirectory } from '../../support/directory.js';
import { fileStores } from '../../support/opened-stores.js';
import { collect, pagesOf, written } from '../facts/support/harness.js';
import { openSealed, registered } from './support/harness.js';

const users = { aggregates: ['user'], after: undefined };
const unreadable: Flaw = { kind: 'unreadable' };

type Opened = ReturnType<typeof openSealed>;

/** Creates two users in one log, each with one event. */
const withUsers = async () => {
  const directory = temporaryDirectory();
  const opened = openSealed(directory, fileStores(directory));
  const [stream, other] = [`user-${randomUUID()}`, `user-${randomUUID()}`];
  for (const each of [stream, other]) {
    written(await opened.facts.append(each, 'no-stream', [registered({ firstName: 'Ana' })]));
  }
  return { ...opened, directory, stream, other };
};

/** Returns the events of the first and the second user, and expects every kind of read to return the same. */
const read = async ({ facts }: Pick<Opened, 'facts'>): Promise<readonly (RecordedEvent | undefined)[]> => {
  const events = (await pagesOf(facts, users, 10)).flatMap((page) => page.events);
  for (const event of events) {
    expect(await collect(facts.readStream(event.stream))).toEqual([event]);
    expect(await collect(facts.readStream(event.stream, { backwards: true }))).toEqual([event]);
  }
  return events;
};

const withVersion =
  (version: number) =>
  (sealed: string): string => {
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[0] = version;
    return bytes.toString('base64url');
  };

describe('an event whose sealed text ends too early', () => {
  it('is unreadable until the text is restored, and no other event is affected', async () => {
    const opened = await withUsers();
    const damage = alterSealed(opened.directory, opened.stream, 0, (sealed) => `"${sealed.slice(1)}`);
    const [own, theirs] = await read(opened);
    expect(own).toMatchObject({ flaw: unreadable, data: { firstName: null, enabled: true } });
    expect(own?.data).not.toHaveProperty('sealed');
    expect(theirs).toMatchObject({ data: { firstName: 'Ana' } });
    expect(theirs).not.toHaveProperty('flaw');
    restoreSealed(opened.directory, damage);
    expect((await read(opened)).map((event) => event?.flaw)).toEqual([undefined, undefined]);
  });
});

describe('an event that was sealed in an unknown version', () => {
  it('counts as damaged if no newer program has used the stores', async () => {
    const opened = await withUsers();
    alterSealed(opened.directory, opened.stream, 0, withVersion(9));
    const [own, theirs] = await read(opened);
    expect(own).toMatchObject({ flaw: unreadable, data: { firstName: null } });
    expect(theirs).toMatchObject({ data: { firstName: 'Ana' } });
    expect(new Set(opened.watch.altered)).toEqual(new Set([own?.id]));
  });

  it('counts as too new once a newer program has used the stores, even after the start', async () => {
    const opened = await withUsers();
    alterSealed(opened.directory, opened.stream, 0, withVersion(9));
    await opened.vault.insert({ kind: 'format', key: 'stores', value: { format: FORMAT + 1 } });
    const [own, theirs] = await read(opened);
    expect(own?.flaw).toEqual({ kind: 'too-new', what: expect.any(String) });
    expect(theirs).toMatchObject({ data: { firstName: 'Ana' } });
    expect(opened.watch.altered).toEqual([]);
    if (own !== undefined) expect(() => interpretable(own)).toThrow(EventTooNew);
  });

  it('counts as erased if the person is erased', async () => {
    const opened = await withUsers();
    alterSealed(opened.directory, opened.stream, 0, withVersion(9));
    await opened.vault.removeSubject(opened.stream.slice('user-'.length));
    const [own] = await read(openSealed(opened.directory, fileStores(opened.directory)));
    expect(own).toMatchObject({ data: { firstName: null } });
    expect(own).not.toHaveProperty('flaw');
  });
});
