// Reads the events that a request recorded, directly from the stores of the service.
import { readConfig } from '../../src/config.js';
import { mustExist } from '../../src/embedded-stores.js';
import type { LastingStores } from '../../src/infrastructure/stores.js';
import { openLastingStores } from '../../src/stores.js';
import { say, short } from './client.js';

/** Opens the stores that the environment names. If they are unavailable, prints the cause and returns undefined. */
export const openLocalStores = async (): Promise<LastingStores | undefined> => {
  try {
    const config = readConfig(process.env);
    mustExist(config, ['facts', 'vault']);
    const sealing = { withoutKey: () => {}, tampered: () => {}, damaged: () => {} };
    return await openLastingStores(config, { onError: ({ message }) => say(`(${message})`), sealing });
  } catch (error) {
    say(
      `(pass the DATA_DIR of the service to see the events: ${error instanceof Error ? error.message : String(error)})`,
    );
    return undefined;
  }
};

/** Prints the events of a stream with shortened payloads. */
export const showEvents = async (stores: LastingStores | undefined, stream: string): Promise<void> => {
  if (stores === undefined) return;
  say(`  events of ${stream}`);
  for await (const { revision, type, metadata, data } of stores.facts.readStream(stream)) {
    const number = String(revision).padStart(2);
    say(`    ${number}  ${metadata.at}  ${type.padEnd(28)} by ${metadata.actor.id}  ${short(data, 70)}`);
  }
};
