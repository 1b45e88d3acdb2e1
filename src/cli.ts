// The operator's tool: `npm run cli -- <command>`. It works on the stores that the environment names, beside a running
// service or without one. A command is loaded when it runs, so help and usage errors need no store.
import { Command } from 'commander';
import type { StoreName } from './embedded-stores.js';
import type { AllStores } from './stores.js';

type Task<Given extends readonly unknown[]> = (stores: AllStores, ...given: Given) => Promise<void>;

/** Returns the action of a command that works on the stores. */
const onStores =
  <Given extends readonly unknown[]>(load: () => Promise<Task<Given>>) =>
  async (...given: Given): Promise<void> => {
    const [task, { runOnStores }] = await Promise.all([load(), import('./cli/on-stores.js')]);
    await runOnStores((stores) => task(stores, ...given));
  };

/** Returns the action of a command that looks at the stores and creates none; `needed` must exist. */
const inspecting =
  <Given extends readonly unknown[]>(needed: readonly StoreName[], load: () => Promise<Task<Given>>) =>
  async (...given: Given): Promise<void> => {
    const [task, { inspectStores }] = await Promise.all([load(), import('./cli/on-stores.js')]);
    await inspectStores(needed, (stores) => task(stores, ...given));
  };

const pathOf = (command: Command): string =>
  command.parent === program ? command.name() : `${command.parent?.name()} ${command.name()}`;

const program = new Command('npm run cli --')
  .description('Works on the stores that the environment names, beside a running service or without one.')
  .showHelpAfterError()
  .configureHelp({
    // One list of all commands: an operator need not ask for the help of each group.
    visibleCommands: ({ commands }) =>
      commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command])),
    subcommandTerm: (command) => `${pathOf(command)} ${command.usage().replace(/\[options\] ?/, '')}`,
  });

const admin = program.command('admin').description('Administrators.');
admin
  .command('create')
  .usage('--email <address> --name <name> | --user <id>')
  .description('Creates an administrator, or makes a user one.')
  .option('--email <address>', 'the sign-in address; the password comes from the prompt or standard input')
  .option('--name <name>', 'first and last name of a new user, in quotes; the audit trail shows them')
  .option('--first-name <name>', 'the first name, if it has several words')
  .option('--last-name <name>', 'the last name, beside --first-name')
  .option('--user <id>', 'an existing user, whose password stays as it is')
  .action(onStores(async () => (await import('./cli/admin.js')).createAdministrator));

const projections = program.command('projections').description('Read models.');
projections
  .command('list')
  .description('Shows how far each read model has come, and who runs it.')
  .action(inspecting(['facts', 'views'], async () => (await import('./cli/projections.js')).listProjections));
projections
  .command('rebuild')
  .usage('<name> [--queue]')
  .description('Rebuilds a read model beside the live one, then switches to it.')
  .argument('<name>', 'the read model, as "projections list" shows it')
  .option('--queue', 'leave the rebuild to the workers')
  .action(onStores(async () => (await import('./cli/projections.js')).rebuildProjection));
projections
  .command('retry')
  .description('Lets a read model that stopped before a bad event try the event again.')
  .argument('<name>', 'the read model')
  .action(onStores(async () => (await import('./cli/projections.js')).retryProjection));
projections
  .command('skip')
  .usage('<name> --position <position> --reason <text>')
  .description('Has a read model leave out the event that it stopped before, for good.')
  .argument('<name>', 'the read model')
  .option('--position <position>', 'where it stopped, as "projections list" shows it')
  .option('--reason <text>', 'why, in quotes')
  .action(onStores(async () => (await import('./cli/projections.js')).skipProjectionEvent));

const jobs = program.command('jobs').description('Background jobs.');
jobs
  .command('dead')
  .description('Lists the jobs of a queue that failed at every attempt, and why.')
  .argument('<queue>', 'the queue')
  .action(inspecting(['work'], async () => (await import('./cli/jobs.js')).listDeadJobs));
jobs
  .command('retry')
  .description('Puts such a job back as a new one.')
  .argument('<queue>', 'the queue')
  .argument('<id>', 'the job, as "jobs dead" lists it')
  .action(onStores(async () => (await import('./cli/jobs.js')).retryJob));

const audit = program.command('audit').description('The audit trail.');
audit
  .command('replay')
  .usage('--profile <id> [--asOf <instant>] | --all --compare')
  .description('Shows the life of a profile, or compares the read models with a replay of the whole log.')
  .option('--profile <id>', 'the profile to show')
  .option('--asOf <instant>', 'show the profile up to this instant, such as 2026-11-22T15:00:00Z')
  .option('--all', 'replay the whole log')
  .option('--compare', 'list the documents that differ from the replay')
  .action(inspecting(['facts', 'views'], async () => (await import('./cli/audit.js')).replay));
audit
  .command('export')
  .description('Writes the log as JSON lines with a manifest; personal fields stay sealed.')
  .argument('<directory>', 'an empty or new directory')
  .action(inspecting(['facts'], async () => (await import('./cli/audit.js')).exportAudit));
audit
  .command('verify')
  .description('Checks whether such an export is whole; needs no store.')
  .argument('<directory>', 'the directory of the export')
  .action(async (directory: string) => (await import('./cli/audit.js')).verifyAudit(directory));
audit
  .command('prove')
  .usage('[--checkpoint <path...>]')
  .description('Compares the log with every checkpoint that was signed, and names the first event that differs.')
  .option('--checkpoint <path...>', 'checkpoints kept elsewhere: files, or a directory such as CHECKPOINT_DIRECTORY')
  .action(inspecting(['facts', 'vault'], async () => (await import('./cli/prove.js')).proveLog));

const keys = program.command('keys').description('Keys of personal data.');
keys
  .command('list')
  .description('Shows how many keys in the vault each master key wraps.')
  .action(inspecting(['vault'], async () => (await import('./cli/keys.js')).listKeys));
keys
  .command('rotate')
  .description('Wraps every key in the vault with the current, or a new, master key.')
  .action(onStores(async () => (await import('./cli/keys.js')).rotateKeys));

const signingKeys = program.command('signing-keys').description('Keys of access tokens.');
signingKeys
  .command('list')
  .description('Lists the key that signs access tokens, and those that only verify.')
  .action(inspecting(['vault'], async () => (await import('./cli/signing-keys.js')).listSigningKeys));
signingKeys
  .command('rotate')
  .description('Signs access tokens with a new key; tokens that were issued stay valid.')
  .action(onStores(async () => (await import('./cli/signing-keys.js')).rotateSigningKeys));
signingKeys
  .command('revoke')
  .description('Makes a key verify nothing any more, at once; a new key signs if it was the one that did.')
  .argument('<kid>', 'the key, as "signing-keys list" shows it')
  .action(onStores(async () => (await import('./cli/signing-keys.js')).revokeSigningKey));

const logKeys = program.command('log-keys').description('Keys of the audit log.');
logKeys
  .command('list')
  .description('Lists the verifier keys of the audit log, and which of them signs.')
  .action(inspecting(['vault'], async () => (await import('./cli/log-keys.js')).listLogKeys));
logKeys
  .command('rotate')
  .description('Signs checkpoints with a new key; checkpoints that were signed stay verifiable.')
  .action(onStores(async () => (await import('./cli/log-keys.js')).rotateLogKeys));
logKeys
  .command('new-log')
  .usage('--reason <text> [--checkpoint <file>]')
  .description(
    'Begins a new audit log after a lawful restore; its first record names the last checkpoint of the old one.',
  )
  .requiredOption('--reason <text>', 'why, in quotes; names nobody')
  .option('--checkpoint <file>', 'the last checkpoint of the old log, if it is newer than that of the restored vault')
  .action(onStores(async () => (await import('./cli/log-keys.js')).beginNewLog));

const signInAddress = program.command('sign-in-address').description('Addresses that people sign in with.');
signInAddress
  .command('set')
  .usage('--user <id> --email <address> --operator <name>')
  .description('Gives a person who lost mailbox and password another address to sign in with.')
  .requiredOption('--user <id>', 'the person, whose identity you have checked')
  .requiredOption('--email <address>', 'the new address')
  .requiredOption('--operator <name>', 'your name, which is recorded')
  .action(onStores(async () => (await import('./cli/sign-in-address.js')).setSignInAddress));

program
  .command('erase')
  .usage('--user <id> --reason <text>')
  .description('Deletes the key of a person and all that the vault and the read models hold of them, for good.')
  .requiredOption('--user <id>', 'the person')
  .requiredOption('--reason <text>', 'why, in quotes; names nobody')
  .action(onStores(async () => (await import('./cli/erase.js')).erase));
program
  .command('verify')
  .usage('[--accept]')
  .description('Finds stores that are of different moments, or damaged.')
  .option('--accept', 'take the facts as they are')
  .action(inspecting([], async () => (await import('./cli/verify.js')).verifyStores));

program
  .command('backup')
  .description('Copies the embedded facts and vault, of one moment, beside a running service.')
  .argument('<directory>', 'a directory that does not exist yet')
  .action(async (directory: string) => (await import('./cli/backup.js')).backup(directory));
program
  .command('restore')
  .description('Puts such a backup into DATA_DIR, erases again who was erased since, and verifies the stores.')
  .argument('<directory>', 'the directory of the backup')
  .action(async (directory: string) => (await import('./cli/backup.js')).restore(directory));

program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
