// What the routes are given to work with.
import type { KeyObject } from 'node:crypto';
import { AuditTrail } from '../audit/trail.js';
import { type Auth, type AuthSettings, authOf } from '../auth/auth.js';
import { Passwords } from '../auth/passwords.js';
import { Claims } from '../commands/claims.js';
import { type CommandHandler, commandHandler, type Outcome } from '../commands/handle-command.js';
import { Streams } from '../commands/streams.js';
import { uniquely } from '../commands/uniqueness.js';
import { allDeciders } from '../domain/all.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import type { Work } from '../infrastructure/work/work.js';
import type { Progress } from '../projections/progress.js';
import { Reader } from './reading.js';
import type { Answer } from './route.js';

/** What the service is made of. */
export interface Parts {
  readonly facts: Facts;
  readonly views: Views;
  readonly vault: Vault;
  readonly work: Work;
  /** Tells how far the views have come. */
  readonly progress: Progress;
  /** Gives a key of the service's own by its name, the same in every process. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  /** Removes what the vault holds of a person, the key of their fields too, and has the stores forget the bytes. */
  readonly eraseSecrets: (person: string) => Promise<number>;
  /** What an operator says of signing in. */
  readonly authSettings?: AuthSettings;
}

export interface Service extends Omit<Parts, 'serviceKey' | 'authSettings'> {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly reader: Reader;
  readonly trail: AuditTrail;
  readonly passwords: Passwords;
  readonly auth: Auth;
}

/** The service over its stores. */
export const serviceOf = ({ serviceKey, authSettings = {}, ...parts }: Parts): Service => {
  const { facts, views, vault, work, progress } = parts;
  const streams = new Streams(facts);
  const claims = new Claims(vault, () => serviceKey('claims'));
  const passwords = new Passwords(vault);
  const commands = commandHandler(streams, uniquely(streams, claims));
  const auth = authOf({ vault, work, serviceKey, handle: commands, streams, claims, passwords }, authSettings);
  const categories = allDeciders.map(({ aggregate }) => aggregate);
  return {
    ...parts,
    handle: auth.handle,
    streams,
    claims,
    reader: new Reader(views, streams, progress),
    trail: new AuditTrail(facts, categories),
    passwords,
    auth,
  };
};

/** The answer to a write: `value` of the aggregate after it. */
export const written = (
  { revision, position }: Pick<Outcome<unknown>, 'revision' | 'position'>,
  value: unknown,
): Answer => ({
  json: JSON.stringify(value),
  revision,
  position,
});
