// The application service, which the routes and the operator's tool use.
import { AuditTrail } from './audit/trail.js';
import { type Auth, authOf } from './auth/auth.js';
import type { AuthSettings } from './auth/parts.js';
import { Passwords } from './auth/passwords/passwords.js';
import { Administrators, lastAdministratorGuard } from './commands/administrators.js';
import { Analyses } from './commands/analyses.js';
import { type CheckedHandler, checkedHandler } from './commands/checked-command.js';
import { Claims } from './commands/claims.js';
import { type CommandHandler, commandHandler } from './commands/handle-command.js';
import { LongReads } from './commands/long-reads.js';
import { Streams } from './commands/streams.js';
import { uniquenessGuard } from './commands/uniqueness.js';
import type { UserProfile } from './domain/user/state.js';
import type { Facts } from './infrastructure/facts/facts.js';
import { PAGE } from './infrastructure/pages.js';
import type { AllStores } from './infrastructure/stores.js';
import { listPages } from './infrastructure/views/views.js';
import type { Progress } from './projections/progress.js';
import { users } from './projections/users.js';
import { TransparencyLog } from './transparency/log.js';

export type ServiceStores = Pick<
  AllStores,
  'facts' | 'sealedFacts' | 'views' | 'vault' | 'serviceKey' | 'personKeys' | 'outbox' | 'eraseSecrets' | 'noteErasure'
> & { readonly progress: Progress };

export interface Service extends ServiceStores {
  /** Handles a command of any aggregate, and ends sessions after an event that requires it. */
  readonly handle: CommandHandler;
  /** Handles a command on a protocol after an analysis of its form. */
  readonly handleChecked: CheckedHandler;
  readonly analyses: Analyses;
  readonly streams: Streams;
  /** The streams for reads of the past, and the same sealed. */
  readonly past: Record<'facts' | 'sealedFacts', Pick<Facts, 'readStream'>>;
  readonly claims: Claims;
  readonly administrators: Administrators;
  readonly trail: AuditTrail;
  readonly transparencyLog: TransparencyLog;
  readonly passwords: Passwords;
  readonly auth: Auth;
}

export const serviceOf = (stores: ServiceStores, settings: AuthSettings = {}): Service => {
  const { facts, vault, serviceKey, progress } = stores;
  const reads = new LongReads();
  const past = { facts: reads.of(facts), sealedFacts: reads.of(stores.sealedFacts) };
  const streams = new Streams(facts, undefined, reads, progress.isFolded);
  const claims = new Claims(vault, () => serviceKey('claims'));
  const passwords = new Passwords(vault, serviceKey);
  const administrators = new Administrators({ vault, streams, candidates: () => candidatesIn(stores) });
  const guard = lastAdministratorGuard(uniquenessGuard(streams, claims), administrators);
  const handle = commandHandler(streams, guard);
  const auth = authOf({ vault, serviceKey, handle, streams, claims, passwords }, settings);
  const trail = new AuditTrail(facts);
  const transparencyLog = new TransparencyLog(stores);
  const analyses = new Analyses();
  const handleChecked = checkedHandler({ streams, handle: auth.handle, analyses });
  const commanded = { handle: auth.handle, handleChecked, analyses, streams, past, claims, administrators };
  return { ...stores, ...commanded, trail, transparencyLog, passwords, auth };
};

const TIMEOUT_MS = 2_000;

/** Yields the users with an approved administrator profile, from the read model after it has caught up. */
async function* candidatesIn({ facts, views, progress }: ServiceStores): AsyncGenerator<string> {
  const head = await facts.head();
  if (head !== undefined) await progress.reached(users.name, head, TIMEOUT_MS);
  const where = { type: 'ADMINISTRATOR', approvalStatus: 'APPROVED' };
  const query = { collection: 'profiles', where, order: 'oldest-first', after: undefined } as const;
  for await (const { json } of listPages(views, { ...query, limit: PAGE.items })) {
    for (const { userId } of JSON.parse(json) as readonly UserProfile[]) yield userId;
  }
}
