// Evidence of the history of a profile: a document that proves each step to anyone who has the log's verifier key. The
// format is described in verifier/README.md, and verifier/verify.mjs verifies it.
import { hash, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../domain/errors.js';
import { consequencesOf, type ShownInEvidence } from '../domain/user/consequences.js';
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { PAGE } from '../infrastructure/pages.js';
import { disclosuresOf } from '../infrastructure/persons/payload.js';
import type { Payload } from '../infrastructure/persons/personal-values.js';
import type { PersonKeys } from '../infrastructure/sealed/sealed-text.js';
import { aggregateIdOf, streamName } from '../infrastructure/stream-name.js';
import { TOOL } from '../infrastructure/tool.js';
import { Turns } from '../infrastructure/turns.js';
import { leafOf } from '../transparency/leaf.js';
import type { CurrentCheckpoint, TransparencyLog } from '../transparency/log.js';
import { EVIDENCE_FORMAT, type ProvenEvent, UNPROVEN } from './evidence-format.js';
import { historyPages, isAfter } from './history.js';

export interface EvidenceSources {
  /** The facts as they are stored, sealed. */
  readonly sealedFacts: Pick<Facts, 'readStream'>;
  /** The same for reads of whole streams, which wait for their turn. */
  readonly past: { readonly sealedFacts: Pick<Facts, 'readStream'> };
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
 * The maximum number of decisions on a profile in evidence. The other events of the user do not count, because a user can
 * add as many as they like.
 */
export const evidenceLimit = 1_000;

/** Evidence that is made while it is read. */
export interface Evidence {
  /** Differs if the document differs. */
  readonly tag: string;
  /** The parts of the JSON document. Reading them rejects if the tree does not contain an event that it should. */
  readonly texts: AsyncIterable<string>;
}

/**
 * Returns the evidence of the history of a profile, up to `asOf` if given; undefined if the profile did not exist.
 * Rejects with `LogBehind` if the signed tree does not contain all events of the user in time, and with
 * `evidence-too-large` if the profile has too many decisions.
 */
export const evidenceOf = async (
  sources: EvidenceSources,
  { userId, profileId }: { readonly userId: string; readonly profileId: string },
  asOf?: string,
): Promise<Evidence | undefined> => {
  const subject = { userId, profileId, asOf: asOf === undefined ? null : new Date(asOf).toISOString() };
  const survey = new Survey(subject);
  for await (const event of eventsOf(sources.past, subject, 0)) survey.add(event);
  if (!survey.hasProfile || survey.last === undefined) return undefined;
  const checkpoint = await coveringCheckpoint(sources, survey.last);
  if (survey.next === undefined) {
    for (const event of await laterEvents(sources, subject, survey.last.revision, checkpoint)) survey.add(event);
  }
  const keys = await sources.personKeys([userId, ...survey.actors.keys()]);
  const tag = hash('sha256', JSON.stringify([subject, checkpoint.note, [...keys.keys()].sort()]), 'base64url');
  return { tag, texts: textsOf({ sources, subject, survey, checkpoint }) };
};

interface Subject {
  readonly userId: string;
  readonly profileId: string;
  readonly asOf: string | null;
}

/** Yields the events of the user from a revision on, up to and including the first one after `asOf`. */
async function* eventsOf({ sealedFacts }: Pick<EvidenceSources, 'sealedFacts'>, subject: Subject, from: number) {
  for await (const event of sealedFacts.readStream(streamOf(subject.userId), { from })) {
    yield event;
    if (isAfter(event, subject.asOf)) return;
  }
}

/** What evidence must know of all events of the user before its first part. It keeps none of the others. */
class Survey {
  readonly #subject: Subject;
  #decisions = 0;
  hasProfile = false;
  last: RecordedEvent | undefined;
  /** The first event after `asOf`. */
  next: RecordedEvent | undefined;
  /** The positions at which other users acted on the profile, by user. */
  readonly actors = new Map<string, Position[]>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Adds the next event. Throws `evidence-too-large` at the first decision above the limit. */
  add(event: RecordedEvent): void {
    const { type, position, metadata } = event;
    const { userId, profileId } = this.#subject;
    this.last = event;
    if (isAfter(event, this.#subject.asOf)) this.next = event;
    const isOfProfile = isOf(event, profileId);
    if (this.next !== undefined || (shownOf(type) !== 'erasure' && !isOfProfile)) return;
    this.hasProfile ||= isOfProfile;
    if (shownOf(type) === 'decision') this.#decisions += 1;
    if (this.#decisions > evidenceLimit) throw new DomainError('evidence-too-large', { limit: evidenceLimit });
    const { id } = metadata.actor;
    const positions = this.actors.get(id) ?? [];
    positions.push(position);
    if (id !== userId) this.actors.set(id, positions);
  }
}

/** Returns a checkpoint whose tree contains an event. Rejects with `LogBehind` after the timeout. */
const coveringCheckpoint = async (
  { transparencyLog, timeoutMs = TIMEOUT_MS }: EvidenceSources,
  event: RecordedEvent,
): Promise<CurrentCheckpoint> => {
  for (const end = performance.now() + timeoutMs; ; await pause(POLL_MS)) {
    const [index] = await transparencyLog.indexesOf([event]);
    const checkpoint = index === undefined ? undefined : await transparencyLog.current(index + 1);
    if (checkpoint !== undefined) return checkpoint;
    if (performance.now() >= end) throw new LogBehind(event);
  }
};

/** Returns the events after a revision that the tree of a checkpoint contains, too. */
const laterEvents = async (
  sources: EvidenceSources,
  subject: Subject,
  revision: number,
  { size }: CurrentCheckpoint,
): Promise<readonly RecordedEvent[]> => {
  const later: RecordedEvent[] = [];
  for await (const event of eventsOf(sources.past, subject, revision + 1)) later.push(event);
  const indexes = await sources.transparencyLog.indexesOf(later);
  return later.filter((_, at) => (indexes[at] ?? size) < size);
};

interface Made {
  readonly sources: EvidenceSources;
  readonly subject: Subject;
  readonly survey: Survey;
  readonly checkpoint: CurrentCheckpoint;
}

/** Yields the document as the output of `JSON.stringify` with some white space. */
async function* textsOf(made: Made): AsyncGenerator<string> {
  const { subject, survey, checkpoint } = made;
  const next = survey.next === undefined ? 'null' : await provenPage(made, [survey.next]);
  const head = JSON.stringify({ format: EVIDENCE_FORMAT, subject, checkpoint: checkpoint.note });
  yield `${head.slice(0, -1)},\n"events":[`;
  yield* provenList(made, shownPages(made));
  yield `],\n"next":${next},\n"names":[`;
  yield* provenList(made, namingPages(made));
  yield `],\n"unproven":${JSON.stringify(survey.next === undefined ? UNPROVEN : null)}}\n`;
}

/**
 * Yields the events of the user that the survey has seen, without the next one. No read stays open while the client
 * takes a page, which may last.
 */
async function* shownPages({ sources, subject, survey: { last, next } }: Made) {
  const to = next === undefined ? last?.revision : next.revision - 1;
  const range = { from: 0, to };
  for await (const { items } of historyPages(sources.sealedFacts, streamOf(subject.userId), range)) yield items;
}

const isOf = ({ data }: RecordedEvent, profileId: string): boolean =>
  (data as { readonly profileId?: unknown } | null)?.profileId === profileId;

/** A newer program may have recorded events of other types. Those of profiles must show their payload, too. */
const shownOf = (type: string): ShownInEvidence =>
  consequencesOf(type)?.evidence ?? (type.startsWith('UserProfile') ? 'payload' : 'nothing');

const streamOf = (userId: string): string => streamName('user', userId);
const personOf = ({ stream }: RecordedEvent): string => aggregateIdOf(stream);

/** Yields the events of other users that hold the names which the actors of the steps had at the time. */
async function* namingPages({ sources, survey }: Made): AsyncGenerator<RecordedEvent[]> {
  let page: RecordedEvent[] = [];
  for await (const [actor, positions] of new Turns().over(survey.actors)) {
    page.push(...(await namesAt(sources.past, actor, positions)));
    if (page.length < PAGE.items) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Returns each event with the name of a user that was the last one at some of these positions. */
const namesAt = async (
  { sealedFacts }: EvidenceSources['past'],
  userId: string,
  positions: readonly Position[],
): Promise<readonly RecordedEvent[]> => {
  const names: RecordedEvent[] = [];
  let name: readonly RecordedEvent[] = [];
  let rest = positions;
  for await (const event of sealedFacts.readStream(streamOf(userId))) {
    if (shownOf(event.type) !== 'name') continue;
    const later = rest.filter((position) => event.position < position);
    if (later.length < rest.length) names.push(...name);
    [name, rest] = [[event], later];
  }
  return rest.length > 0 ? [...names, ...name] : names;
};

/** Yields the items of a JSON list, page by page. */
async function* provenList(made: Made, pages: AsyncIterable<readonly RecordedEvent[]>): AsyncGenerator<string> {
  let before = '\n';
  for await (const page of pages) {
    yield before + (await provenPage(made, page));
    before = ',\n';
  }
}

/** Returns events with their proofs, separated by commas. Rejects if the tree does not contain one of them. */
const provenPage = async (made: Made, events: readonly RecordedEvent[]): Promise<string> => {
  const { sources, subject, survey, checkpoint } = made;
  const { transparencyLog, personKeys } = sources;
  const indexes = await transparencyLog.indexesOf(events);
  const keys = await personKeys([...new Set(events.map(personOf))]);
  const proofOf = await transparencyLog.inclusionProver(checkpoint.size);
  const items: string[] = [];
  for await (const [at, event] of new Turns().over(events.entries())) {
    const index = indexes[at];
    if (index === undefined) throw unsigned(event);
    const proof = (await proofOf(index)).map((each) => each.toString('base64'));
    const leaf = JSON.parse(leafOf(event)) as ProvenEvent['leaf'];
    const shown = event === survey.next ? HIDDEN : disclosedOf(event, subject, keys.get(personOf(event)));
    items.push(JSON.stringify({ index, leaf, proof, ...shown } satisfies ProvenEvent));
  }
  return items.join(',\n');
};

const unsigned = ({ id, stream, revision }: RecordedEvent): Error =>
  new Error(`event ${id} (${stream}, revision ${revision}) is not in the signed log: run \`${TOOL} audit prove\``);

const DISCLOSED: Readonly<Record<ShownInEvidence, readonly string[]>> = {
  nothing: [],
  payload: [],
  name: ['/firstName', '/lastName'],
  credentials: ['/documentDoctor', '/documentDoctorState', '/documentDoctorUpdatedAt'],
  decision: ['/reason'],
  erasure: [],
};

type Disclosed = Pick<ProvenEvent, 'payload' | 'disclosures'>;
const HIDDEN: Disclosed = { payload: null, disclosures: [] };

const disclosedOf = (event: RecordedEvent, { profileId }: Subject, key: KeyObject | undefined): Disclosed => {
  const shown = shownOf(event.type);
  // The verifier must see every payload that may name the profile, so that none can be withheld.
  if (shown === 'nothing') return HIDDEN;
  const payload = event.data as Payload;
  if (key === undefined || !(shown === 'name' || isOf(event, profileId))) return { payload, disclosures: [] };
  const wanted = DISCLOSED[shown];
  return { payload, disclosures: disclosuresOf(payload, key, event).filter(({ pointer }) => wanted.includes(pointer)) };
};
