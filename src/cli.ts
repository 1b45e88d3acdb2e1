// The operator's tool: `npm run cli -- <command>`. It works on the stores that the environment names, beside a running
// service or without one.
import { adminCommands } from './cli/admin.js';
import { auditCommands } from './cli/audit.js';
import { type Commands, log } from './cli/command.js';
import { eraseCommands } from './cli/erase.js';
import { jobCommands } from './cli/jobs.js';
import { keyCommands } from './cli/keys.js';
import { projectionCommands } from './cli/projections.js';
import { signingKeyCommands } from './cli/signing-keys.js';
import { UsageError } from './cli/usage-error.js';
import { verifyCommands } from './cli/verify.js';
import { readConfig } from './config.js';
import { watchSealing } from './infrastructure/sealing/watch.js';
import { allProjections } from './projections/all.js';
import { openStores } from './stores.js';

const commands: Commands = {
  ...adminCommands,
  ...projectionCommands,
  ...jobCommands,
  ...auditCommands,
  ...keyCommands,
  ...signingKeyCommands,
  ...eraseCommands,
  ...verifyCommands,
};

const help = () =>
  Object.values(commands)
    .map(({ usage, purpose }) => `  ${usage.padEnd(50)}${purpose}`)
    .join('\n');

const main = async (words: readonly string[]): Promise<void> => {
  const name = [words.slice(0, 2), words.slice(0, 1)]
    .map((some) => some.join(' '))
    .find((some) => Object.hasOwn(commands, some));
  const command = commands[name ?? ''];
  const given = words.slice(name?.split(' ').length);
  if (command === undefined) throw new UsageError(`npm run cli -- COMMAND, where COMMAND is one of\n${help()}`);
  if ('runOffline' in command) return command.runOffline(...given);
  const stores = openStores(readConfig(process.env), {
    onError: (error) => log.warn({ err: error }, 'a store failed'),
    sealing: watchSealing(log),
  });
  try {
    for (const projection of allProjections) await stores.views.prepare(projection);
    await command.run(stores, ...given);
  } finally {
    await stores.close();
  }
};

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
