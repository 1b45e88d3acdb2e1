#!/usr/bin/env node
// The operator's tool: `npm run cli -- <command>`, or `clinical-protocols <command>` where it is installed. It works directly on
// the stores that the environment variables name, with or without a running service. Commands are loaded when they run, so
// help and usage errors need no store.
import { Command, Option } from 'commander';
import { creatable } from './cli/creatable.js';
import { codeOf } from './infrastructure/errors.js';
import { TOOL } from './infrastructure/tool.js';

/** Opens stores, runs a task on them and closes them. */
type Run<Stores> = (task: (stores: Stores) => Promise<void>) => Promise<void>;

/** Returns a function that makes the action of a command from a task on stores. Both are loaded when the command runs. */
const actionsOn =
  <Stores>(load: () => Promise<Run<Stores>>) =>
  <Given extends readonly unknown[]>(loadTask: () => Promise<(stores: Stores, ...given: Given) => Promise<void>>) =>
  async (...given: Given): Promise<void> => {
    const [run, task] = await Promise.all([load(), loadTask()]);
    await run((stores) => task(stores, ...given));
  };

const onStores = actionsOn(async () => (await import('./cli/on-stores.js')).runOnStores);
const inspecting = actionsOn(async () => (await import('./cli/on-stores.js')).inspectStores);
const inspectingLasting = actionsOn(async () => (await import('./cli/on-stores.js')).inspectLastingStores);

const pathOf = (command: Command): string =>
  command.parent === program ? command.name() : `${command.parent?.name()} ${command.name()}`;

const ENDING_MS = 1_000;

const program = new Command(TOOL)
  .description('Works directly on the stores that the environment variables name, with or without a running service.')
  .showHelpAfterError()
  .configureHelp({
    // Lists the commands of all groups, so that an operator does not need the help of each group.
    visibleCommands: ({ commands }) =>
      commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command])),
    subcommandTerm: (command) => `${pathOf(command)} ${command.usage().replace(/\[options\] ?/, '')}`,
  });

for (const [name, role] of Object.entries(creatable)) {
  program
    .command(name)
    .description(role.plural)
    .command('create')
    .usage('--email <address> --name <name> | --user <id>')
    .description(`Creates an ${role.noun}, or promotes an existing user.`)
    .option('--email <address>', 'the sign-in address; the password comes from the prompt or standard input')
    .option('--name <name>', 'first and last name of a new user, in quotes; the audit trail shows them')
    .option('--first-name <name>', 'the first name, if it has several words')
    .option('--last-name <name>', 'the last name, together with --first-name')
    .option('--user <id>', 'an existing user, whose password does not change')
    .action(onStores(async () => (await import('./cli/admin.js')).creating(role)));
}

const projections = program.command('projections').description('Read models.');
projections
  .command('list')
  .description('Lists the checkpoint of each read model, and the worker that runs it.')
  .action(inspecting(async () => (await import('./cli/projections.js')).listProjections));
projections
  .command('rebuild')
  .usage('<name> [--no-wait]')
  .description('Makes a worker rebuild a read model beside the live one, and waits until it is live.')
  .argument('<name>', 'the read model, as "projections list" shows it')
  .option('--no-wait', 'return as soon as the rebuild has started')
  .action(onStores(async () => (await import('./cli/projections.js')).rebuildProjection));
projections
  .command('retry')
  .description('Makes a read model that stopped before a bad event try the event again.')
  .argument('<name>', 'the read model')
  .action(onStores(async () => (await import('./cli/projections.js')).retryProjection));

const jobs = program.command('jobs').description('Background jobs.');
jobs
  .command('dead')
  .description('Lists the jobs of a queue that failed at every attempt, with the reasons.')
  .argument('<queue>', 'the queue')
  .action(inspecting(async () => (await import('./cli/jobs.js')).listDeadJobs));
jobs
  .command('retry')
  .description('Queues a failed job again.')
  .argument('<queue>', 'the queue')
  .argument('<id>', 'the job, as "jobs dead" lists it')
  .action(onStores(async () => (await import('./cli/jobs.js')).retryJob));

const audit = program.command('audit').description('The audit trail.');
audit
  .command('replay')
  .usage('--profile <id> [--as-of <instant>] | --all --compare')
  .description('Shows the history of a profile, or compares the read models with a replay of the whole log.')
  .option('--profile <id>', 'the profile to show')
  .option('--as-of <instant>', 'show the profile up to this instant, such as 2026-11-22T15:00:00Z')
  .option('--all', 'replay the whole log')
  .option('--compare', 'list the documents that differ from the replay')
  .action(inspecting(async () => (await import('./cli/audit.js')).replay));
audit
  .command('export')
  .description('Writes the log as JSON lines for verifier/verify.mjs; personal fields stay sealed.')
  .argument('<directory>', 'an empty or new directory')
  .action(inspecting(async () => (await import('./cli/audit.js')).exportAudit));
audit
  .command('checkpoint')
  .description('Prints the newest checkpoint with its cosignatures, for a copy out of reach of the operator.')
  .action(inspectingLasting(async () => (await import('./cli/audit.js')).printCheckpoint));
audit
  .command('prove')
  .usage('[--checkpoint <path...>]')
  .description('Compares the log with every signed checkpoint, and names the first event that differs.')
  .option('--checkpoint <path...>', 'checkpoints kept elsewhere: files, or directories of *.checkpoint files')
  .action(inspecting(async () => (await import('./cli/prove.js')).proveLog));

const keys = program.command('keys').description('Keys of personal data.');
keys
  .command('list')
  .description('Shows how many keys in the vault each master key wraps.')
  .action(inspecting(async () => (await import('./cli/keys.js')).listKeys));
keys
  .command('rotate')
  .description('Wraps every key in the vault with the current, or a new, master key.')
  .action(onStores(async () => (await import('./cli/keys.js')).rotateMasterKey));

const signingKeys = program.command('signing-keys').description('Keys of access tokens.');
signingKeys
  .command('list')
  .description('Lists the key that signs access tokens, and the keys that only verify.')
  .action(inspecting(async () => (await import('./cli/signing-keys.js')).listSigningKeys));
signingKeys
  .command('rotate')
  .description('Signs access tokens with a new key; existing tokens stay valid.')
  .action(onStores(async () => (await import('./cli/signing-keys.js')).rotateSigningKeys));
signingKeys
  .command('revoke')
  .description('Revokes a key immediately; if it is the key that signs, a new key takes over.')
  // The id of a key may begin with a minus sign.
  .allowUnknownOption()
  .argument('<kid>', 'the key, as "signing-keys list" shows it')
  .action(onStores(async () => (await import('./cli/signing-keys.js')).revokeSigningKey));

const logKeys = program.command('log-keys').description('Keys of the audit log.');
logKeys
  .command('list')
  .description('Lists the verifier keys of the audit log, and marks the key that signs.')
  .action(inspecting(async () => (await import('./cli/log-keys.js')).listLogKeys));
logKeys
  .command('rotate')
  .description('Signs checkpoints with a new key; existing checkpoints stay verifiable.')
  .action(onStores(async () => (await import('./cli/log-keys.js')).rotateLogKeys));
logKeys
  .command('new-log')
  .usage('--reason <text> [--checkpoint <file>]')
  .description(
    'Starts a new audit log after a legitimate restore; its first record names the last checkpoint of the old log.',
  )
  .requiredOption('--reason <text>', 'the reason, in quotes; must not name anyone')
  .option(
    '--checkpoint <file>',
    'the last checkpoint of the old log, if it is newer than the checkpoint in the restored vault',
  )
  .action(onStores(async () => (await import('./cli/log-keys.js')).startLog));

const signInAddress = program.command('sign-in-address').description('Addresses that people sign in with.');
signInAddress
  .command('set')
  .usage('--user <id> --email <address> --operator <name>')
  .description('Sets a new sign-in address for a person who lost both mailbox and password.')
  .requiredOption('--user <id>', 'the person, whose identity you have checked')
  .requiredOption('--email <address>', 'the new address')
  .requiredOption('--operator <name>', 'your name, which is recorded')
  .action(onStores(async () => (await import('./cli/sign-in-address.js')).setSignInAddress));

program
  .command('erase')
  .usage('--user <id> --reason <text>')
  .description("Permanently deletes a person's key and the person's data in the vault and the read models.")
  .requiredOption('--user <id>', 'the person')
  .requiredOption('--reason <text>', 'the reason, in quotes; must not name anyone')
  .action(onStores(async () => (await import('./cli/erase.js')).erase));
program
  .command('verify')
  .description('Finds stores that are damaged or out of step.')
  .addOption(new Option('--accept').hideHelp())
  .action(inspectingLasting(async () => (await import('./cli/verify.js')).verifyStores));

program
  .command('backup')
  .description('Copies the embedded event store and vault from the same moment; the service may be running.')
  .argument('<directory>', 'a directory that does not exist yet')
  .action(async (directory: string) => (await import('./cli/backup.js')).backup(directory));
program
  .command('restore')
  .description('Restores a backup into DATA_DIR, repeats the erasures since then, and verifies the stores.')
  .argument('<directory>', 'the directory of the backup')
  .option('--accept', 'vouch for a backup, and for erasures in the lists, that no MAC of the master key proves')
  .action(async (directory: string, options) => (await import('./cli/backup.js')).restore(directory, options));

// A connection to a silent server must not keep the tool alive, once its output is read.
const endSoon = () => process.stdout.write('', () => setTimeout(() => process.exit(), ENDING_MS).unref());

// A reader that has seen enough, such as `head`, does not need the rest. The command still closes its stores.
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') throw error;
});

program
  .parseAsync()
  .catch(async (error: unknown) => {
    const { refusalOf } = await import('./cli/operator.js');
    console.error(refusalOf(error));
    process.exitCode = 1;
  })
  .finally(endSoon);
