// Notes in the vault that a destination accepts no message of this service, for `/readyz` of every process.
import { ignoreUnavailable } from '../infrastructure/errors.js';
import type { FaultSource } from '../infrastructure/fault.js';
import { AllRefused, type Notifier } from '../infrastructure/notifier/notifier.js';
import type { Vault } from '../infrastructure/vault/vault.js';

const KIND = 'refused-messages';
const FAULTS = {
  EMAIL: { code: 'mail-refused', detail: 'The mail server refuses every message of this service. Correct SMTP_URL.' },
  SMS: { code: 'sms-refused', detail: 'The webhook refuses every SMS of this service. Correct SMS_WEBHOOK_URL.' },
} as const;

/** Returns a notifier that notes on each channel whether its destination refuses every message. */
export const notingRefusals = (notifier: Notifier, vault: Pick<Vault, 'insert' | 'remove'>): Notifier => ({
  send: async (message, signal) => {
    const record = { kind: KIND, key: message.channel, value: null };
    // What an unavailable vault does not note now, it notes with the next message.
    await notifier.send(message, signal).catch(async (error: unknown) => {
      if (error instanceof AllRefused) await vault.insert(record).catch(ignoreUnavailable);
      throw error;
    });
    await vault.remove(record).catch(ignoreUnavailable);
  },
});

/** Returns the source of the faults that were noted. */
export const refusedMessages =
  (vault: Pick<Vault, 'getMany'>): FaultSource =>
  async () => {
    // Other checks report an unavailable vault.
    const noted = await vault.getMany(KIND, Object.keys(FAULTS)).catch(ignoreUnavailable);
    return (noted ?? []).map(({ key }) => FAULTS[key as keyof typeof FAULTS]);
  };
