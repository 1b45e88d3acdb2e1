// Reads the events that a request recorded, directly from the stores of the service.
import { readConfig } from '../../src/config.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import type { AllStores } from '../../src/infrastructure/stores.js';
import { openStores } from '../../src/stores.js';
import { say, short } from './client.js';

/** Opens the stores that the environment names. If they are unavailable, prints the cause and returns undefined. */
export const openLocalStores = async (): Promise<AllStores | undefined> => {
  try {
    return await openStores(readConfig(process.env), {
      onError: (error) => say(`(${error.message})`),
      sealing: {
        withoutKey: (person) => say(`(the key of ${person} was erased or lost)`),
        tampered: ({ stream, id }) => say(`(the personal fields of event ${id} in ${stream} cannot be decrypted)`),
        damaged: (kind, key) => say(`(the ${kind} ${key} was altered)`),
      },
    });
  } catch (error) {
    say(`(the events are not shown: ${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  }
};

/** Prints the events of a stream with shortened payloads. */
export const showEvents = async (facts: Facts | undefined, stream: string): Promise<void> => {
  if (facts === undefined) return;
  say(`  events of ${stream}`);
  for await (const { revision, type, metadata, data } of facts.readStream(stream)) {
    say(
      `    ${String(revision).padStart(2)}  ${metadata.at}  ${type.padEnd(28)} by ${metadata.actor.id}  ${short(data, 70)}`,
    );
  }
};
