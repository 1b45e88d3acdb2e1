// The origin line of the log. Every checkpoint contains it, and each key belongs to one origin.
import type { Vault } from '../infrastructure/vault/vault.js';
import { LogRecords, type LogState } from './records.js';

const PATH = '/audit/log';

/** Signals that the configuration and the vault name different logs. */
export class OriginDiffers extends Error {
  constructor(begun: string, configured: string) {
    const name = begun.slice(0, -PATH.length);
    super(
      `every checkpoint of the audit log names the origin ${begun}, but LOG_ORIGIN or PUBLIC_URL changes it to ${configured}: set LOG_ORIGIN=${name}`,
    );
    this.name = 'OriginDiffers';
  }
}

/** Returns the origin of the first log of a host: `localhost/audit/log`. */
export const originOn = (host: string): string => `${host}${PATH}`;

/** Returns the origin of a later log of the same service: the origin of the first log, followed by `/2` and so on. */
export const laterOrigin = (state: LogState, generation: number): string => `${firstOrigin(state)}/${generation}`;

/** Rejects with `OriginDiffers` if a log has started with another origin. */
export const checkOrigin = async (vault: Vault, configured: string): Promise<void> => {
  const state = await new LogRecords(vault).state();
  if (state === undefined || firstOrigin(state) === configured) return;
  throw new OriginDiffers(firstOrigin(state), configured);
};

const firstOrigin = ({ generation, origin }: LogState): string =>
  generation === 1 ? origin : origin.slice(0, -`/${generation}`.length);
