// The application service, which the routes and the operator's tool use.
import { type Auth, authOf } from './auth/auth.js';
import { promisingMessages } from './auth/decisions/promises.js';
import type { AuthSettings } from './auth/parts.js';
import { Passwords } from './auth/passwords/passwords.js';
import { Administrators, lastAdministratorGuard } from './commands/administrators.js';
import { Analyses } from './commands/analyses.js';
import { type CheckedHandler, checkedHandler } from './commands/checked-command.js';
import { Claims } from './commands/claims.js';
import { type CommandHandler, commandHandler } from './commands/handle-command.js';
import { Streams } from './commands/streams.js';
import { uniquenessGuard } from './commands/uniqueness.js';
import { Walks } from './commands/walks.js';
import type { UserProfile } from './domain/user/state.js';
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
  /** The places of long reads. */
  readonly walks: Walks;
  readonly claims: Claims;
  readonly administrators: Administrators;
  readonly transparencyLog: TransparencyLog;
  readonly passwords: Passwords;
  readonly auth: Auth;
}

export const serviceOf = (stores: ServiceStores, settings: AuthSettings = {}): Service => {
  const { facts, vault, serviceKey, progress } = stores;
  const walks = new Walks();
  const streams = new Streams(facts, undefined, walks, progress.isFolded);
  const claims = new Claims(vault, () => serviceKey('claims'));
  const passwords = new Passwords(vault, serviceKey);
  const administrators = new Administrators({ vault, streams, candidates: () => candidatesIn(stores) });
  const unpromised = lastAdministratorGuard(uniquenessGuard(streams, claims), administrators);
  const { decisionMessages } = settings;
  const guard = decisionMessages ? promisingMessages(unpromised, { vault, ...decisionMessages }) : unpromised;
  const handle = commandHandler(streams, guard);
  const auth = authOf({ vault, serviceKey, handle, streams, claims, passwords }, settings);
  const transparencyLog = new TransparencyLog(stores);
  const analyses = new Analyses();
  const handleChecked = checkedHandler({ streams, handle: auth.handle, analyses });
  const commanded = { handle: auth.handle, handleChecked, analyses, streams, walks, claims, administrators };
  return { ...stores, ...commanded, transparencyLog, passwords, auth };
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
