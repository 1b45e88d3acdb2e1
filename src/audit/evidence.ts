// Evidence of the history of a profile: a document that proves each step to anyone who has the log's verifier key. The
// format is described in verifier/README.md, and verifier/verify.mjs verifies it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { uuid } from '../domain/fields.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { disclosuresOf } from '../infrastructure/sealing/payload.js';
import type { Payload } from '../infrastructure/sealing/personal-values.js';
import type { PersonKeys } from '../infrastructure/sealing/sealed-text.js';
import { aggregateIdOf, streamName } from '../infrastructure/stream-name.js';
import { leafOf } from '../transparency/leaf.js';
import {
  coveringCheckpoint,
  type Placed,
  placedEvents,
  placesOf,
  type SignedSources,
  storedEvents,
} from './signed-streams.js';

const EVIDENCE_FORMAT = 'clinical-protocols-evidence/1';
const UNPROVEN = 'That no later event of the user is in the log: a tree proves what is in it, not what is not.';

const Disclosed = z
  .object({ salt: z.string(), pointer: z.string(), value: z.unknown() })
  .meta({ id: 'Disclosure' })
  .describe('A personal value that can be verified with a digest in the payload (RFC 9901).');

const ProvenEvent = z
  .object({
    index: z.int().min(0).describe('The index of the event in the log.'),
    leaf: z.record(z.string(), z.unknown()).describe('The leaf, which is hashed as canonical JSON (RFC 8785).'),
    proof: z.array(z.string()).describe('The hashes of the inclusion proof (RFC 9162) in base64.'),
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The stored payload. Null if the event does not concern the profile.'),
    disclosures: z.array(Disclosed).readonly(),
  })
  .meta({ id: 'ProvenEvent' });
type ProvenEvent = z.infer<typeof ProvenEvent>;

/** The history of a profile as a self-contained proof. */
export const Evidence = z
  .object({
    format: z.literal(EVIDENCE_FORMAT),
    subject: z.object({ userId: uuid(), profileId: uuid(), asOf: z.iso.datetime().nullable() }),
    checkpoint: z.string().describe('The signed note (C2SP tlog-checkpoint) to which all proofs refer.'),
    events: z
      .array(ProvenEvent)
      .readonly()
      .describe('All events of the user from revision 0 on, up to `asOf` if given.'),
    next: ProvenEvent.nullable().describe('The first event after `asOf`.'),
    names: z.array(ProvenEvent).readonly().describe('The events that contain the names of the users who decided.'),
    unproven: z
      .literal(UNPROVEN)
      .nullable()
      .describe('The part that the file cannot prove. Null if `next` is present.'),
  })
  .meta({ id: 'ProfileEvidence' });
export type Evidence = z.infer<typeof Evidence>;

/** The sources of evidence. */
export interface EvidenceSources extends SignedSources {
  readonly personKeys: PersonKeys;
}

/**
 * Returns the evidence of the history of a profile, up to `asOf` if given; undefined if the profile did not exist.
 * Rejects with `LogBehind` if the signed tree does not contain all events of the user in time, and with
 * `evidence-too-large` if they are too many.
 */
export const evidenceOf = async (
  sources: EvidenceSources,
  { userId, profileId }: { readonly userId: string; readonly profileId: string },
  asOf?: string,
): Promise<Evidence | undefined> => {
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
  const steps = shown.flatMap(({ event }) => (event.type === 'UserErased' || isOf(event, profileId) ? [event] : []));
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
    const ofActor = steps.filter(({ metadata }) => metadata.actor.id === actor);
    found.push(...(await namesAt(sources, actor, ofActor)));
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
  UserProfileApproved: ['/reason'],
  UserProfileRejected: ['/reason'],
};

const proven = async (prover: Prover, placed: readonly Placed[]): Promise<readonly ProvenEvent[]> => {
  const events: ProvenEvent[] = [];
  for (const each of placed) {
    const { type } = each.event;
    const data = each.event.data as Payload;
    // The verifier must see every payload that may name the profile, so that none can be withheld.
    const isShown = isNaming(each.event) || type === 'UserErased' || type.startsWith('UserProfile');
    const leaf = await provenLeaf(prover, each);
    events.push(isShown ? { ...leaf, payload: data, disclosures: disclosedOf(prover, each) } : leaf);
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

const disclosedOf = ({ keys, profileId }: Prover, placed: Placed): ProvenEvent['disclosures'] => {
  const { event } = placed;
  const data = event.data as Payload;
  const key = keys.get(personOf(placed));
  const isOfProfile = isNaming(event) || isOf(event, profileId);
  if (key === undefined || !isOfProfile) return [];
  const wanted = DISCLOSED[event.type] ?? [];
  return disclosuresOf(data, key, event).filter(({ pointer }) => wanted.includes(pointer));
};
