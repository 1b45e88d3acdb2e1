// `npm run cli -- audit …`: what auditors and operators do with the log beside a running service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportBundle, verifyBundle } from '../audit/bundle.js';
import { compareWithReplay } from '../audit/comparison.js';
import { type ProfileStep, profileHistory } from '../audit/profile-history.js';
import { AuditTrail } from '../audit/trail.js';
import { allDeciders } from '../domain/all.js';
import type { Log } from '../infrastructure/log.js';
import type { Views } from '../infrastructure/views/views.js';
import { allProjections } from '../projections/all.js';
import type { AllStores } from '../stores.js';

const categories = allDeciders.map(({ aggregate }) => aggregate);

/** Folds the whole log into fresh read models and prints every document that the live ones have otherwise. */
export const compareAll = async (
  { facts, views }: Pick<AllStores, 'facts' | 'views'>,
  openViews: (directory: string) => Views,
  log: Log,
): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'replay-'));
  const fresh = openViews(directory);
  try {
    const compared = { facts, live: views, fresh, projections: allProjections, log };
    const { head, documents, differences } = await compareWithReplay(compared);
    for (const { collection, id, kind } of differences) console.log(`${collection} ${id}: ${kind}`);
    console.log(`${documents} documents compared at ${head ?? 'an empty log'}, ${differences.length} differ`);
    if (differences.length > 0) throw new Error('the read models are not what the log says: rebuild them');
  } finally {
    await fresh.close();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Prints the life of a profile, step by step, from the log. */
export const replayProfile = async (
  { facts, views }: Pick<AllStores, 'facts' | 'views'>,
  profileId: string,
): Promise<void> => {
  const document = await views.get('profiles', profileId);
  if (document === undefined) throw new Error(`there is no profile ${profileId}`);
  const { userId } = JSON.parse(document.body) as { userId: string };
  console.log(`profile ${profileId} of user ${userId}`);
  for await (const step of profileHistory(facts, { userId, profileId })) console.log(linesOf(step).join('\n'));
};

const linesOf = ({ type, at, actor, origin, reason, revision, position, before, after }: ProfileStep) => [
  `${at}  ${type}  revision ${revision}  position ${position}`,
  `  by ${actor.id}${actor.roles.length > 0 ? ` (${actor.roles.join(', ')})` : ''}${origin === null ? '' : ` from ${origin}`}`,
  `  ${before?.approvalStatus ?? 'nothing'} -> ${after?.approvalStatus ?? 'nothing'}${after?.enabled ? ', enabled' : ''}`,
  ...(reason === null ? [] : [`  reason: ${reason}`]),
];

/** Writes the log into a directory that auditors take away. */
export const exportAudit = async ({ facts }: Pick<AllStores, 'facts'>, directory: string): Promise<void> => {
  const { events, sha256 } = await exportBundle(new AuditTrail(facts, categories), directory, new Date());
  console.log(`${events} events written to ${directory}, SHA-256 ${sha256}`);
};

/** Checks such a directory offline; rejects where it is not whole. */
export const verifyAudit = async (directory: string): Promise<void> => {
  const faults = await verifyBundle(directory);
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) throw new Error(`${directory} is not what was exported`);
  console.log(`${directory} is whole`);
};
