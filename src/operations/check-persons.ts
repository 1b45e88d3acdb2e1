// Finds a vault that lacks what it must hold of persons: it was lost, or is older than the facts.
import { Claims } from '../commands/claims.js';
import { Streams } from '../commands/streams.js';
import type { UserFields } from '../domain/user/state.js';
import { uniqueValuesOfUser, user } from '../domain/user/user.js';
import { logPages, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { isSealed } from '../infrastructure/sealing/payload.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { documentPages, type Views } from '../infrastructure/views/views.js';
import { type Check, type CheckedStoresOfPersons, firstOf, type Result } from './check.js';

const RESTORE =
  'stop the service and restore the vault of the moment of the facts; what no copy of the vault has reads as erased';

/** Whoever has something sealed in the log, and was not erased, must have a key in the vault. */
export const personKeysThere: Check<CheckedStoresOfPersons> = {
  name: 'keys',
  run: async ({ sealedFacts, vault }) => {
    const lacking = new Set<string>();
    let persons = 0;
    for await (const { events } of logPages(sealedFacts, { aggregates: [user.aggregate], after: undefined })) {
      const begun = events.filter(beginsSealed).map(personOf);
      persons += begun.length;
      for (const person of await withoutKey(vault, begun)) lacking.add(person);
      for (const person of events.filter(isErasure).map(personOf)) lacking.delete(person);
    }
    if (lacking.size === 0) return { ok: true, said: `${persons} persons, who have their keys or were erased` };
    return lost(`${lacking.size} of ${persons} persons have no key and were not erased: ${firstOf([...lacking])}`);
  },
};

const withoutKey = async (vault: Vault, persons: readonly string[]): Promise<readonly string[]> => {
  const found = new Set((await vault.getMany('person-key', persons)).map(({ key }) => key));
  return persons.filter((person) => !found.has(person));
};

/** Whoever is listed with an e-mail or a document must have the claims of them; else another could take these, too. */
export const claimsThere: Check<CheckedStoresOfPersons> = {
  name: 'claims',
  run: async (stores) => {
    const lacking: string[] = [];
    let persons = 0;
    const hasKey = (await stores.vault.get(CLAIMS_KEY)) !== undefined;
    for await (const listed of usersListed(stores.views)) {
      persons += listed.length;
      // Without their key nothing was ever claimed; it must not be made here.
      lacking.push(...(hasKey ? await lackingOf(stores, listed) : listed.map(({ id }) => id)));
    }
    if (lacking.length === 0) return { ok: true, said: `${persons} users, whose unique values are all claimed` };
    return lost(
      `${lacking.length} of ${persons} users lack the claim of their e-mail or document: ${firstOf(lacking)}`,
    );
  },
};

const CLAIMS_KEY = { kind: 'service-key', key: 'claims' };

type Listed = Pick<UserFields, 'id' | 'auth' | 'document'>;

/** Who of these users lacks a claim. */
const lackingOf = async ({ facts, vault, serviceKey }: CheckedStoresOfPersons, listed: readonly Listed[]) => {
  const claims = new Claims(vault, () => serviceKey(CLAIMS_KEY.key));
  const suspects = await withoutClaim(claims, listed);
  if (suspects.length === 0) return [];
  // What was listed may be old: their streams have the last word.
  const streams = new Streams(facts);
  const states = await Promise.all(suspects.map((id) => streams.load(user, id)));
  const now = states.flatMap(({ state }) => (state.status === 'active' ? [state.fields] : []));
  return withoutClaim(claims, now);
};

const withoutClaim = async (claims: Claims, users: readonly Listed[]): Promise<readonly string[]> => {
  const values = users.flatMap((fields) => uniqueValuesOfUser(fields).map((value) => ({ ...value, id: fields.id })));
  const owners = await claims.claimants(values);
  return [...new Set(values.filter(({ id }, index) => owners[index] !== id).map(({ id }) => id))];
};

async function* usersListed(views: Views): AsyncGenerator<readonly Listed[]> {
  for await (const documents of documentPages(views, 'users')) {
    const listed = documents.map(({ body }) => JSON.parse(body) as UserFields);
    yield listed.filter((fields) => uniqueValuesOfUser(fields).length > 0);
  }
}

const beginsSealed = ({ revision, data }: RecordedEvent): boolean => revision === 0 && isSealed(data);

const isErasure = ({ type }: RecordedEvent): boolean => type === 'UserErased';

const personOf = ({ stream }: RecordedEvent): string => aggregateIdOf(stream);

const lost = (what: string): Result => ({
  ok: false,
  said: `${what}; the vault is older than the facts, or was lost`,
  next: RESTORE,
});
