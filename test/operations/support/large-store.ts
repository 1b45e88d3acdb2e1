// A store that is large enough to show whether a loop over it holds the event loop: many users, one of them with a long
// stream, and a protocol with many forms.
import { randomUUID } from 'node:crypto';
import { Walks } from '../../../src/commands/walks.js';
import { allPersonalPaths, allUpcasters } from '../../../src/domain/all.js';
import type { Facts, NewEvent } from '../../../src/infrastructure/facts/facts.js';
import { Keyring } from '../../../src/infrastructure/keys/keyring.js';
import { newMasterKey, providedMasterKeys } from '../../../src/infrastructure/keys/master-key.js';
import { SealedFacts } from '../../../src/infrastructure/persons/sealed-facts.js';
import { StoreFormat } from '../../../src/infrastructure/vault/store-format.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import type { Views } from '../../../src/infrastructure/views/views.js';
import { allProjections } from '../../../src/projections/all.js';
import { LogGrower } from '../../../src/transparency/grower.js';
import { TransparencyLog } from '../../../src/transparency/log.js';
import { LogRecords } from '../../../src/transparency/records.js';
import { someone } from '../../commands/support/walker.js';
import { metadata } from '../../infrastructure/facts/support/harness.js';
import { ana, Listener } from '../../infrastructure/persons/support/harness.js';
import { startRunner } from '../../projections/support/replay.js';
import { uuidOf } from '../../support/specification.js';

/** The engines of a store, still empty. */
export interface Engines {
  readonly stored: Facts;
  readonly vault: Vault;
  readonly views: Views;
}

export interface Size {
  /** How many users there are, each with four events, and how many forms. */
  readonly users: number;
  /** How many more events the first of them has. */
  readonly stream: number;
}

const APPENDS_AT_ONCE = 50;
const EVENTS_AT_ONCE = 100;
const LONGEST_MS = 600_000;

const credentials = { documentDoctorState: 'SP', documentDoctorUpdatedAt: '2026-01-02', specialties: [] };
const personOf = (n: number) => ({
  ...ana,
  document: String(n).padStart(11, '0'),
  email: `ana.${n}@example.org`,
  enabled: true,
});
const eventOf = (type: string, data: object): NewEvent => ({ id: randomUUID(), type, data, metadata });

/** Returns the id of the profile of the nth user. */
export const profileIdOf = (n: number): string => uuidOf(0x1000000 + n);

const eventsOf = (n: number): readonly NewEvent[] => [
  eventOf('UserRegistered', { ...personOf(n), externalAuthId: uuidOf(0x2000000 + n), acceptedTerms: true }),
  eventOf('UserProfileAdded', { profileId: profileIdOf(n), type: 'NURSE', documentDoctor: 'COREN 1', ...credentials }),
  eventOf('UserProfileApproved', { profileId: profileIdOf(n), reason: 'Checked.' }),
  revised(n),
];
const revised = (n: number): NewEvent => {
  const { email, ...person } = personOf(n);
  return eventOf('UserRevised', { ...person, email, signInEmail: email });
};

const formOf = (n: number): NewEvent =>
  eventOf('ProtocolFormVersionCreated', {
    ...{ formId: uuidOf(0x3000000 + n), version: n, copiedFrom: null, questions: [], scoreRanges: [] },
  });

const fill = async (facts: Facts, { users, stream }: Size): Promise<void> => {
  for (let from = 1; from <= users; from += APPENDS_AT_ONCE) {
    const some = Array.from({ length: Math.min(APPENDS_AT_ONCE, users - from + 1) }, (_, nth) => from + nth);
    await Promise.all(some.map((n) => facts.append(`user-${uuidOf(n)}`, 'no-stream', eventsOf(n))));
  }
  for (let more = 0; more < stream; more += EVENTS_AT_ONCE) {
    const events = Array.from({ length: EVENTS_AT_ONCE }, () => revised(1));
    await facts.append(`user-${uuidOf(1)}`, more + 3, events);
  }
  const protocol = `protocol-${uuidOf(0x4000000)}`;
  const fields = { institutionId: uuidOf(0x5000000), name: 'Pain', prompt: null };
  await facts.append(protocol, 'no-stream', [eventOf('ProtocolCreated', fields)]);
  for (let from = 0; from < users; from += EVENTS_AT_ONCE) {
    const count = Math.min(EVENTS_AT_ONCE, users - from);
    await facts.append(
      protocol,
      from,
      Array.from({ length: count }, (_, nth) => formOf(from + nth + 1)),
    );
  }
};

/** Folds a log into read models, as a worker does after a rebuild has begun. */
export const folded = async (facts: Facts, views: Views): Promise<void> => {
  for (const projection of allProjections) await views.prepare(projection);
  const { progress, close } = startRunner(facts, views, allProjections);
  const head = (await facts.head()) ?? '';
  const reached = await Promise.all(allProjections.map(({ name }) => progress.reached(name, head, LONGEST_MS)));
  await close();
  if (reached.includes(false)) throw new Error('the read models did not reach the end of the log');
};

/** Adds a log to the signed tree in a vault. */
export const signed = async (stores: ConstructorParameters<typeof LogGrower>[0]): Promise<void> => {
  const grower = new LogGrower(stores, new LogRecords(stores.vault), 'localhost/audit/log');
  while (!(await grower.step()));
};

/** Fills engines, folds the read models, signs the log, and returns the stores of a service. */
export const largeStore = async ({ stored, vault, views }: Engines, size: Size) => {
  const keyring = new Keyring(vault, providedMasterKeys([newMasterKey()]));
  const format = new StoreFormat(vault);
  const sealing = { keyring, personal: allPersonalPaths, upcasters: allUpcasters, format, watch: new Listener() };
  const facts = new SealedFacts(stored, sealing);
  const serviceKey = (name: string) => keyring.serviceKey(name);
  await fill(facts, size);
  await folded(facts, views);
  await signed({ sealedFacts: stored, vault, serviceKey });
  const walks = new Walks();
  return {
    ...{ facts, sealedFacts: stored, vault, views, keyring, format, serviceKey },
    personKeys: (persons: readonly string[]) => keyring.ofPersons(persons),
    past: { facts: walks.of(facts, someone()), sealedFacts: walks.of(stored, someone()) },
    transparencyLog: new TransparencyLog({ sealedFacts: stored, vault }),
    integrity: async () => [],
    close: async () => {
      for (const store of [views, vault, stored]) await store.close();
    },
  };
};
