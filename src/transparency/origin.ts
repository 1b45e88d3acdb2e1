// The origin line of the log: it is in every checkpoint, and each key is of one origin.
import type { Vault } from '../infrastructure/vault/vault.js';
import { LogRecords, type LogState } from './records.js';

const PATH = '/audit/log';

/** Signals that the configuration names another log than the vault. */
export class OriginDiffers extends Error {
  constructor(
    readonly begun: string,
    readonly configured: string,
  ) {
    const name = begun.slice(0, -PATH.length);
    super(
      `the audit log was begun as ${begun} and every checkpoint names it, but LOG_ORIGIN or PUBLIC_URL makes it ${configured}: set LOG_ORIGIN=${name}`,
    );
    this.name = 'OriginDiffers';
  }
}

/** Returns the origin of the first log of a host: `localhost/audit/log`. */
export const originOn = (host: string): string => `${host}${PATH}`;

/** Returns the origin of a later log of the same service: that of the first log with `/2`, and so on. */
export const laterOrigin = (state: LogState, generation: number): string => `${firstOrigin(state)}/${generation}`;

/** Rejects with `OriginDiffers` if a log has begun whose origin was made from another name. */
export const checkOrigin = async (vault: Vault, configured: string): Promise<void> => {
  const state = (await new LogRecords(vault).state())?.value;
  if (state === undefined || firstOrigin(state) === configured) return;
  throw new OriginDiffers(firstOrigin(state), configured);
};

const firstOrigin = ({ generation, origin }: LogState): string =>
  generation === 1 ? origin : origin.slice(0, -`/${generation}`.length);
