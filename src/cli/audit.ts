// `npm run cli -- audit …`: the commands of auditors and operators on the log, which can run beside the service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportBundle } from '../audit/bundle.js';
import { compareWithReplay } from '../audit/comparison.js';
import { type NamedStep, type ProfileStep, profileHistory, withActorNames } from '../audit/profile-history.js';
import { AuditTrail } from '../audit/trail.js';
import { INSTANT, instantOf } from '../domain/comparable.js';
import { namingSpace } from '../infrastructure/errors.js';
import type { AllStores, LastingStores } from '../infrastructure/stores.js';
import { counted } from '../infrastructure/tally.js';
import { allProjections } from '../projections/all.js';
import { namesOf } from '../projections/users.js';
import { openEmbeddedViews } from '../stores.js';
import { TransparencyLog } from '../transparency/log.js';
import { log } from './on-stores.js';

export interface ReplayOptions {
  readonly all?: boolean;
  readonly compare?: boolean;
  readonly profile?: string;
  readonly asOf?: string;
}

/** Shows the history of a profile, complete or up to a time, or compares the read models with the log. */
export const replay = async (stores: AllStores, { all, compare, profile, asOf }: ReplayOptions): Promise<void> => {
  if (profile !== undefined && !all && !compare) return replayProfile(stores, profile, timestampOf(asOf));
  if (all && compare && profile === undefined && asOf === undefined) return compareAll(stores);
  throw new Error(
    'Pass --profile ID to show a profile (with --as-of INSTANT, as of that time), or --all --compare to compare the read models.',
  );
};

const timestampOf = (asOf: string | undefined): string | undefined => {
  if (asOf === undefined) return undefined;
  if (INSTANT.test(asOf)) return new Date(instantOf(asOf)).toISOString();
  throw new Error(`--as-of ${asOf} is not a timestamp with an offset; pass one such as 2026-11-22T15:00:00Z`);
};

/** Replays the whole log into new read models and prints every document that differs from the live read models. */
const compareAll = async ({ facts, views, keyring }: AllStores): Promise<void> => {
  // With the wrong master keys, no personal field could be opened, and the replay would never end.
  await keyring.check();
  const directory = mkdtempSync(join(tmpdir(), 'replay-'));
  const fresh = await openEmbeddedViews(directory);
  try {
    const compared = { facts, live: views, fresh, projections: allProjections, log };
    const { head, documents, differences } = await compareWithReplay(compared);
    for (const { collection, id, kind } of differences) console.log(`${collection} ${id}: ${kind}`);
    console.log(
      `${counted(documents, 'document')} compared at ${head ?? 'an empty log'}, ${differences.length} differ`,
    );
    if (differences.length > 0) throw new Error('the read models differ from the log: rebuild them');
  } finally {
    await fresh.close();
    rmSync(directory, { recursive: true, force: true });
  }
};

const replayProfile = async ({ facts, views }: AllStores, profileId: string, asOf: string | undefined) => {
  const document = await views.get('profiles', profileId);
  if (document === undefined) throw new Error(`Profile ${profileId} does not exist.`);
  const { userId } = JSON.parse(document.body) as { userId: string };
  const steps: ProfileStep[] = [];
  for await (const step of profileHistory(facts, { userId, profileId }, { asOf })) steps.push(step);
  if (steps.length === 0) throw new Error(`Profile ${profileId} did not exist at ${asOf}.`);
  console.log(`profile ${profileId} of user ${userId}`);
  for (const step of await withActorNames((ids) => namesOf(views, ids), steps)) console.log(linesOf(step).join('\n'));
  if (asOf !== undefined) console.log(`as of ${asOf}: ${statusOf(steps.at(-1)?.after)}`);
};

const linesOf = (step: NamedStep) => [
  `${step.at}  ${step.type}  revision ${step.revision}`,
  `  by ${actorLine(step)}`,
  `  ${step.before?.approvalStatus ?? 'nothing'} -> ${statusOf(step.after)}`,
  ...(step.reason === null ? [] : [`  reason: ${step.reason}`]),
];

const actorLine = ({ actor, origin, sessionId, address }: NamedStep) =>
  [
    actor.id,
    ...(actor.name === null ? [] : [`, ${actor.name}`]),
    ...(actor.roles.length === 0 ? [] : [` (${actor.roles.join(', ')})`]),
    ...(origin === null ? [] : [` from ${origin}`]),
    ...(address === null ? [] : [` at ${address}`]),
    ...(sessionId === null ? [] : [`, session ${sessionId}`]),
  ].join('');

const statusOf = (profile: ProfileStep['after'] | undefined): string =>
  `${profile?.approvalStatus ?? 'nothing'}${profile?.enabled ? ', enabled' : ''}`;

/** Prints the newest checkpoint with its cosignatures. Prints nothing and rejects if nothing is signed yet. */
export const printCheckpoint = async ({ sealedFacts, vault }: LastingStores): Promise<void> => {
  const current = await new TransparencyLog({ sealedFacts, vault }).current();
  if (current === undefined) throw new Error('no checkpoint is signed yet: a worker signs one after the first event');
  process.stdout.write(current.note);
};

export const exportAudit = async ({ sealedFacts, vault }: AllStores, directory: string): Promise<void> => {
  const current = await new TransparencyLog({ sealedFacts, vault }).current();
  const exported = { trail: new AuditTrail(sealedFacts), checkpoint: current?.note };
  const exporting = exportBundle(exported, directory, new Date());
  const { events, sha256 } = await exporting.catch((error: unknown) => Promise.reject(namingSpace(error, directory)));
  console.log(`${counted(events, 'event')} written to ${directory}, SHA-256 ${sha256}`);
  if (current !== undefined) console.log(`the checkpoint covers ${current.size} of them`);
};
