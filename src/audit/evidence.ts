// Evidence of the history of a profile: a document that proves each step to anyone who has the log's verifier key. The
// format is described in verifier/README.md, and verifier/verify.mjs verifies it.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../domain/errors.js';
import { decisionTypes } from '../domain/user/events.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import { disclosuresOf } from '../infrastructure/sealing/payload.js';
import type { Payload } from '../infrastructure/sealing/personal-values.js';
import type { PersonKeys } from '../infrastructure/sealing/sealed-text.js';
import { aggregateIdOf, streamName } from '../infrastructure/stream-name.js';
import { leafOf } from '../transparency/leaf.js';
import type { CurrentCheckpoint, TransparencyLog } from '../transparency/log.js';
import { EVIDENCE_FORMAT, type ProfileEvidence, type ProvenEvent, UNPROVEN } from './evidence-format.js';

/** The sources of evidence. */
export interface EvidenceSources {
  /** The facts as they are stored, sealed. */
  readonly sealedFacts: Pick<Facts, 'readStream'>;
  readonly transparencyLog: Pick<TransparencyLog, 'current' | 'indexesOf' | 'inclusionProver'>;
  readonly personKeys: PersonKeys;
  /** How long to wait for the signed tree to contain the events of a user, in milliseconds. Default: 5 s. */
  readonly timeoutMs?: number;
}

/** Signals that the signed tree does not contain an event yet. */
export class LogBehind extends Error {
  constructor({ stream, revision }: RecordedEvent) {
    super(`the signed tree does not contain revision ${revision} of ${stream} yet`);
    this.name = 'LogBehind';
  }
}

const TIMEOUT_MS = 5_000;
const POLL_MS = 100;

/**
 * The maximum number of events of a user in evidence. Their work takes a second. A user with a long career has a few
 * hundred, but a program can add as many as it likes.
 */
export const evidenceLimit = 1_000;

/**
 * Returns the evidence of the history of a profile, up to `asOf` if given; undefined if the profile did not exist.
 * Rejects with `LogBehind` if the signed tree does not contain all events of the user in time, and with
 * `evidence-too-large` if they are too many.
 */
export const evidenceOf = async (
  sources: EvidenceSources,
  { userId, profileId }: { readonly userId: string; readonly profileId: string },
  asOf?: string,
): Promise<ProfileEvidence | undefined> => {
  const until = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  const isAfter = ({ metadata }: RecordedEvent) => Date.parse(metadata.at) > until;
  const known = await storedEvents(sources, { userId, from: 0, until });
  const last = known.at(-1);
  if (last === undefined || !known.some((event) => !isAfter(event) && isOf(event, profileId))) return undefined;
  const checkpoint = await coveringCheckpoint(sources, last);
  const placed = await placedEvents(sources, checkpoint, { userId, until }, known);
  const end = placed.findIndex(({ event }) => isAfter(event));
  const shown = end < 0 ? placed : placed.slice(0, end);
  const [next] = placed.slice(shown.length);
  const events = shown.map(({ event }) => event);
  const steps = events.filter((event) => event.type === 'UserErased' || isOf(event, profileId));
  const naming = await namingEvents(sources, userId, steps);
  const keys = await sources.personKeys([...new Set([...shown, ...naming].map(personOf))]);
  const proofOf = await sources.transparencyLog.inclusionProver(checkpoint.size);
  const prover = { proofOf, keys, profileId };
  return {
    format: EVIDENCE_FORMAT,
    subject: { userId, profileId, asOf: asOf === undefined ? null : new Date(asOf).toISOString() },
    checkpoint: checkpoint.note,
    events: await proven(prover, shown),
    next: next === undefined ? null : await provenLeaf(prover, next),
    names: await proven(prover, naming),
    unproven: next === undefined ? UNPROVEN : null,
  };
};

/** An event and the index of its leaf. */
interface Placed {
  readonly event: RecordedEvent;
  readonly index: number;
}

/** The events of a user from a revision on, up to and including the first one after `until` (epoch milliseconds). */
interface StreamRange {
  readonly userId: string;
  readonly from: number;
  readonly until: number;
}

/** Returns the stored events of a range. Rejects with `evidence-too-large` if they are too many. */
const storedEvents = async (
  { sealedFacts }: EvidenceSources,
  { userId, from, until }: StreamRange,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of sealedFacts.readStream(streamName('user', userId), from)) {
    const isAfter = Date.parse(event.metadata.at) > until;
    if (!isAfter && event.revision >= evidenceLimit)
      throw new DomainError('evidence-too-large', { limit: evidenceLimit });
    events.push(event);
    if (isAfter) break;
  }
  return events;
};

/** Returns a checkpoint whose tree contains an event. Rejects with `LogBehind` after the timeout. */
const coveringCheckpoint = async (
  { transparencyLog, timeoutMs = TIMEOUT_MS }: EvidenceSources,
  event: RecordedEvent,
): Promise<CurrentCheckpoint> => {
  for (const end = Date.now() + timeoutMs; ; await pause(POLL_MS)) {
    const [index] = await transparencyLog.indexesOf([event]);
    const checkpoint = index === undefined ? undefined : await transparencyLog.current(index + 1);
    if (checkpoint !== undefined) return checkpoint;
    if (Date.now() >= end) throw new LogBehind(event);
  }
};

/** Returns events with their indexes. Rejects if the tree does not contain all of them. */
const placesOf = async (
  { transparencyLog }: EvidenceSources,
  events: readonly RecordedEvent[],
): Promise<readonly Placed[]> => {
  const indexes = await transparencyLog.indexesOf(events);
  return events.map((event, at) => {
    const index = indexes[at];
    if (index !== undefined) return { event, index };
    const { id, stream, revision } = event;
    throw new Error(
      `event ${id} (${stream}, revision ${revision}) is not in the signed log: run \`npm run cli -- audit prove\``,
    );
  });
};

/**
 * Returns the events of a range that are in the tree of a checkpoint. `known` are the first events of the range, which
 * the tree contains. More events may have been appended since `known` was read.
 */
const placedEvents = async (
  sources: EvidenceSources,
  { size }: CurrentCheckpoint,
  range: Omit<StreamRange, 'from'>,
  known: readonly RecordedEvent[],
): Promise<readonly Placed[]> => {
  const later = await storedEvents(sources, { ...range, from: known.length });
  const indexes = await sources.transparencyLog.indexesOf(later);
  const inTree = later.filter((_, at) => (indexes[at] ?? size) < size);
  return placesOf(sources, [...known, ...inTree]);
};

const isOf = ({ data }: RecordedEvent, profileId: string): boolean =>
  (data as { readonly profileId?: unknown } | null)?.profileId === profileId;

const personOf = ({ event }: Placed): string => aggregateIdOf(event.stream);

const isNaming = ({ type }: RecordedEvent): boolean => type === 'UserRegistered' || type === 'UserRevised';

/** Returns the events of other users that hold the names which the actors of these steps had at the time. */
const namingEvents = async (
  sources: EvidenceSources,
  userId: string,
  steps: readonly RecordedEvent[],
): Promise<readonly Placed[]> => {
  const actors = new Set(steps.map(({ metadata }) => metadata.actor.id).filter((id) => id !== userId));
  const found: RecordedEvent[] = [];
  for (const actor of actors) {
    const decided = steps.filter(({ metadata }) => metadata.actor.id === actor);
    found.push(...(await namesAt(sources, actor, decided)));
  }
  return placesOf(sources, found);
};

/** Returns the last event with the name of a user before each step. Does not keep the stream, which may be long. */
const namesAt = async ({ sealedFacts }: EvidenceSources, userId: string, steps: readonly RecordedEvent[]) => {
  const lastBefore = new Map<RecordedEvent, RecordedEvent>();
  for await (const event of sealedFacts.readStream(streamName('user', userId))) {
    const later = isNaming(event) ? steps.filter(({ position }) => event.position < position) : [];
    for (const step of later) lastBefore.set(step, event);
  }
  return new Set(lastBefore.values());
};

/** The inputs of a proof. */
interface Prover {
  readonly proofOf: Awaited<ReturnType<EvidenceSources['transparencyLog']['inclusionProver']>>;
  readonly keys: Awaited<ReturnType<PersonKeys>>;
  readonly profileId: string;
}

const NAME = ['/firstName', '/lastName'];
const CREDENTIALS = ['/documentDoctor', '/documentDoctorState', '/documentDoctorUpdatedAt'];

/** The personal values to disclose, by event type. */
const DISCLOSED: Readonly<Record<string, readonly string[]>> = {
  UserRegistered: NAME,
  UserRevised: NAME,
  UserProfileAdded: CREDENTIALS,
  UserProfileResubmitted: CREDENTIALS,
  ...Object.fromEntries(decisionTypes.map((type) => [type, ['/reason']])),
};

const proven = async (prover: Prover, placed: readonly Placed[]): Promise<ProvenEvent[]> => {
  const events: ProvenEvent[] = [];
  for (const each of placed) {
    const { type, data } = each.event;
    // The verifier must see every payload that may name the profile, so that none can be withheld.
    const isShown = isNaming(each.event) || type === 'UserErased' || type.startsWith('UserProfile');
    const leaf = await provenLeaf(prover, each);
    const payload = data as Payload;
    events.push(isShown ? { ...leaf, payload, disclosures: disclosedOf(prover, each, payload) } : leaf);
    // A proof takes about a millisecond, and a store may read without waiting.
    await nextTurn();
  }
  return events;
};

const provenLeaf = async ({ proofOf }: Prover, { event, index }: Placed): Promise<ProvenEvent> => {
  const proof = await proofOf(index);
  const leaf = JSON.parse(leafOf(event)) as ProvenEvent['leaf'];
  return { index, leaf, proof: proof.map((hash) => hash.toString('base64')), payload: null, disclosures: [] };
};

const disclosedOf = ({ keys, profileId }: Prover, placed: Placed, payload: Payload): ProvenEvent['disclosures'] => {
  const { event } = placed;
  const key = keys.get(personOf(placed));
  const isOfProfile = isNaming(event) || isOf(event, profileId);
  if (key === undefined || !isOfProfile) return [];
  const wanted = DISCLOSED[event.type] ?? [];
  return disclosuresOf(payload, key, event).filter(({ pointer }) => wanted.includes(pointer));
};
