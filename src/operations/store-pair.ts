// Whether event log and vault belong together. The stamp of the vault has the id of the log's first event.
import { setTimeout as pause } from 'node:timers/promises';
import { aggregates } from '../domain/all.js';
import { user } from '../domain/user/user.js';
import { StoresApart, StoreUnavailable } from '../infrastructure/errors.js';
import { type Facts, logPages, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { Keyring } from '../infrastructure/keys/keyring.js';
import type { MasterKeys } from '../infrastructure/keys/master-key.js';
import { isSealed } from '../infrastructure/persons/payload.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { FORMAT, StoreFormat } from '../infrastructure/vault/store-format.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { boundSize, logKeys } from '../transparency/keys.js';
import { examined } from './examined.js';
import { ERASURE } from './user-survey.js';

// The first format whose stamp has the id.
const FIRST_WITH_ID = 11;
// Another process may write between the reads of the two stores.
const AGAIN_MS = 1_000;
// So many persons and events show whether the keys fit. One person may have a long history.
const [PERSONS, EVENTS] = [100, 10_000];

/** What log and vault have: the id of the log's first event, and the stamp of the vault with the id that it keeps. */
interface Findings {
  readonly first?: string | undefined;
  readonly kept?: string | undefined;
  readonly format?: number | undefined;
  /** Whether the vault has what only a log with events leaves. */
  readonly hasHistory: boolean;
  /** Whether the vault has a key that opens personal fields of the log, or the log has none. */
  readonly opens: boolean;
}

/** Returns why log and vault do not belong together; undefined if they do. */
export const contradictionIn = (log: string, vault: string, found: Findings): string | undefined => {
  const { first, kept, format = 0, hasHistory, opens } = found;
  const isOfLog = kept !== undefined || (format < FIRST_WITH_ID && hasHistory);
  if (first === undefined) return isOfLog ? `${log} is missing or empty, but ${vault} belongs to a log` : undefined;
  const rules = [
    [format > 0, `${vault} is missing or empty, but ${log} has events`],
    [kept === undefined || kept === first, `${log} begins with event ${first}, but that of ${vault} with ${kept}`],
    [kept === first || opens, `${vault} has no key that opens the newest personal fields of ${log}`],
  ] as const;
  return rules.find(([isKept]) => !isKept)?.[1];
};

export interface PairedStores {
  /** Open the stores. Create them if they are missing. */
  readonly facts: () => Promise<Facts>;
  readonly vault: () => Promise<Vault>;
  readonly isMissing: (store: 'facts' | 'vault') => boolean;
  readonly names: readonly [log: string, vault: string];
  readonly masterKeys: MasterKeys;
  /** Called if the stores do not belong together. */
  readonly onApart?: ((error: StoresApart) => void) | undefined;
}

/** Returns `judge`, `admit` and `contradiction` of the stores (infrastructure/stores.ts). */
export const pairOf = (stores: PairedStores) => {
  let known: string | undefined;
  const contradiction = async (): Promise<string | undefined> => {
    if ((await contradictionNow(stores)) === undefined) return undefined;
    await pause(AGAIN_MS);
    return contradictionNow(stores);
  };
  const judge = async (): Promise<string | undefined> => {
    if (known !== undefined) return known;
    const reason = await contradiction();
    if (reason !== undefined) throw reported(new StoresApart(reason), stores);
    const first = await firstIn(await stores.facts());
    const isNamed = (await new StoreFormat(await stores.vault()).claim(first)) === first;
    known = isNamed ? first : await judge();
    return known;
  };
  // While the log is unavailable, reads may use a vault that belongs to a log.
  const admit = async (): Promise<void> => {
    await judge().catch(async (error: unknown) => {
      if (error instanceof StoresApart || !(error instanceof StoreUnavailable)) throw error;
      const stamp = await new StoreFormat(await stores.vault()).check();
      if (stamp?.format !== FORMAT || stamp.log === undefined) throw error;
    });
  };
  return { judge, admit, contradiction };
};

const reported = (apart: StoresApart, { onApart }: PairedStores): StoresApart => {
  onApart?.(apart);
  return apart;
};

const contradictionNow = async (stores: PairedStores): Promise<string | undefined> => {
  const vault = stores.isMissing('vault') ? undefined : await stores.vault();
  // The format of the vault decides whether this program may open the log.
  const { format, log: kept } = (vault && (await new StoreFormat(vault).check())) ?? {};
  const facts = stores.isMissing('facts') ? undefined : await stores.facts();
  const first = facts && (await firstIn(facts));
  const hasHistory = await hasHistoryIn(vault);
  const opens = kept !== undefined || (await opensNewest(facts, vault && new Keyring(vault, stores.masterKeys)));
  return contradictionIn(...stores.names, { first, kept, format, hasHistory, opens });
};

// Engines may change the case of an id.
const firstIn = async (facts: Facts, after?: Position): Promise<string | undefined> => {
  const { events, position, atEnd } = await facts.readLog({ aggregates, after }, 1);
  return events.length > 0 || atEnd ? events[0]?.id.toLowerCase() : firstIn(facts, position);
};

// A first write that was killed leaves the key of one person.
const hasHistoryIn = async (vault: Vault | undefined): Promise<boolean> =>
  vault !== undefined &&
  (boundSize(await logKeys(vault)) > 0 || (await vault.ofKind('person-key', undefined, 2)).length > 1);

/** Returns whether the newest sealed event of a person who is not erased can be opened, or there is none. */
const opensNewest = async (facts: Facts | undefined, keyring: Keyring | undefined): Promise<boolean> => {
  if (facts === undefined || keyring === undefined) return true;
  const [seen, range] = [new Set<string>(), { aggregates: [user.aggregate], after: undefined }];
  const tries: Promise<boolean>[] = [];
  let read = 0;
  for await (const { events } of logPages(facts, { ...range, direction: 'backwards' })) {
    const last = events.filter(({ type, data }) => type === ERASURE || isSealed(data));
    const newest = last.filter(({ stream }) => !seen.has(stream) && seen.add(stream));
    const sealed = newest.filter(({ type }) => type !== ERASURE).slice(0, PERSONS - tries.length);
    // A key that no master key unwraps says nothing about the others.
    tries.push(...sealed.map((event) => opensWith(keyring, event)));
    if ((await Promise.allSettled(tries)).some((each) => each.status === 'fulfilled' && each.value)) return true;
    read += events.length;
    if (tries.length >= PERSONS || read >= EVENTS) break;
  }
  return (await Promise.all(tries)).length === 0;
};

const opensWith = async (keyring: Keyring, event: RecordedEvent): Promise<boolean> => {
  const { hasKey, sealFault } = examined(event, await keyring.ofPersons([aggregateIdOf(event.stream)]), false);
  return hasKey && sealFault === undefined;
};
