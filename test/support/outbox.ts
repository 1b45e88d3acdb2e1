// Reads the messages that the service sent from its outbox.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '../../src/infrastructure/notifier/notifier.js';

/** Returns the messages in the outboxes of data directories, in no particular order. */
export const messagesIn = (...directories: readonly string[]): readonly Message[] =>
  directories
    .map((directory) => join(directory, 'outbox'))
    .filter((outbox) => existsSync(outbox))
    .flatMap((outbox) =>
      readdirSync(outbox)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(outbox, name), 'utf8')) as Message),
    );
