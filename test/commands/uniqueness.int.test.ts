// The command handler keeps values unique, with several processes on one log and one vault.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Claims, PENDING_MS } from '../../src/commands/claims.js';
import type { CommandContext } from '../../src/commands/context.js';
import { type CommandHandler, commandHandler } from '../../src/commands/handle-command.js';
import { randomIds, seededIds } from '../../src/commands/ids.js';
import { Streams } from '../../src/commands/streams.js';
import { type Guard, uniquenessGuard } from '../../src/commands/uniqueness.js';
import { comparableName } from '../../src/domain/comparable.js';
import { DomainError } from '../../src/domain/errors.js';
import { specialty, specialtyFields } from '../../src/domain/specialty.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { eventsIn } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { Random } from '../support/random.js';
import { sharedKey } from './shared-key.js';

/**
 * A process with its own cache of streams and its own connections to a shared directory. `now` is in epoch
 * milliseconds.
 */
class Process {
  readonly #handle: CommandHandler;

  constructor(directory: string, around: (guard: Guard) => Guard = (guard) => guard, now: () => number = Date.now) {
    const [facts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
    onTestFinished(async () => {
      await Promise.all([facts.close(), vault.close()]);
    });
    const streams = new Streams(facts);
    this.#handle = commandHandler(streams, around(uniquenessGuard(streams, new Claims(vault, sharedKey, now))));
  }

  async create(name: string, context = contextOf()) {
    const data = { name, description: null, enabled: true };
    return specialtyFields((await this.#handle(specialty, 'new', { type: 'CreateSpecialty', data }, context)).state);
  }

  async rename(id: string, name: string) {
    const command = { type: 'ReviseSpecialty', data: { name } } as const;
    return specialtyFields((await this.#handle(specialty, id, command, contextOf())).state);
  }
}

const contextOf = (more: Partial<CommandContext> = {}): CommandContext => ({
  actor: { id: 'anonymous', roles: [] },
  correlationId: 'trace',
  causationId: 'request',
  ids: randomIds(),
  resumed: false,
  ...more,
});

const SEED = { random: 'ab'.repeat(16), at: Date.parse('2026-02-10T09:30:00.000Z') };
const refusal = async (attempt: Promise<unknown>) => {
  const error: unknown = await attempt.then(() => 'done').catch((reason: unknown) => reason);
  return error instanceof DomainError ? [error.code, error.details] : error;
};
const takenBy = (code: unknown) => [
  'specialty-name-taken',
  { errors: [{ path: ['name'], code, message: expect.any(String) }] },
];
// The state of a claim during concurrent commands.
const TAKEN_OR_RESERVED = expect.stringMatching(/^(taken|reserved)$/);
/** Returns a process whose clock is so late that no claim is pending. */
const muchLater = (directory: string) =>
  new Process(
    directory,
    (guard) => guard,
    () => Date.now() + 2 * PENDING_MS,
  );
/** Ends the process right before or right after its append. */
const killed =
  (when: 'before' | 'after') =>
  (guard: Guard): Guard =>
  (attempt, append) =>
    guard(attempt, async () => {
      if (when === 'after') await append();
      throw new StoreUnavailable('the test', 'killed');
    });

describe('a name', () => {
  it('that another specialty has is refused by every process', async () => {
    const directory = temporaryDirectory();
    const [one, other] = [new Process(directory), new Process(directory)];
    await one.create('Neurología');
    const { id } = await other.create('Other');
    for (const process of [one, other]) {
      expect(await refusal(process.create('NEUROLOGIA'))).toEqual(takenBy('taken'));
      expect(await refusal(process.rename(id, 'neurologia'))).toEqual(takenBy('taken'));
    }
  });

  it('that a killed process was about to record is reserved for others', async () => {
    const directory = temporaryDirectory();
    await expect(new Process(directory, killed('before')).create('Name')).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await refusal(new Process(directory).create('Name'))).toEqual(takenBy('reserved'));
  });

  it.each(['before', 'after'] as const)(
    'is kept by a retry of the command after a kill %s its append',
    async (when) => {
      const directory = temporaryDirectory();
      const [dying, next] = [new Process(directory, killed(when)), new Process(directory)];
      const ids = seededIds(SEED);
      await expect(dying.create('Name', contextOf({ ids }))).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await next.create('Name', contextOf({ ids, resumed: true }))).toMatchObject({ id: ids.aggregateId() });
    },
  );

  it('that was taken by another meanwhile does not change the response of a retry', async () => {
    const directory = temporaryDirectory();
    const [dying, next] = [new Process(directory, killed('after')), new Process(directory)];
    const ids = seededIds(SEED);
    await expect(dying.create('Name', contextOf({ ids }))).rejects.toBeInstanceOf(StoreUnavailable);
    await next.rename(ids.aggregateId(), 'New name');
    await expect(next.create('Name')).resolves.toMatchObject({ name: 'Name' });
    expect(await next.create('Name', contextOf({ ids, resumed: true }))).toMatchObject({ id: ids.aggregateId() });
  });

  it('stays with its specialty while two processes rename the specialty concurrently', async () => {
    const directory = temporaryDirectory();
    const [one, other, later] = [new Process(directory), new Process(directory), muchLater(directory)];
    const { id } = await one.create('A');
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([one.rename(id, 'B'), other.rename(id, 'A')]);
      const { name } = await one.rename(id, 'A');
      expect(await refusal(other.create(name))).toEqual(takenBy('taken'));
      expect(await refusal(later.create(name))).toEqual(takenBy('taken'));
    }
  });

  it('never belongs to two specialties, however many processes rename specialties concurrently', async () => {
    const directory = temporaryDirectory();
    const random = new Random(7);
    const [first, ...others] = [new Process(directory), new Process(directory), new Process(directory)];
    const names = ['Ámbar', 'AMBAR', 'Bento', 'Cedro', 'Dália', 'Eva', 'Flor'];
    const ids = await Promise.all(['1', '2', '3', '4'].map(async (name) => (await first.create(name)).id));
    const write = (process: Process) => {
      const name = `${random.pick(names)}`;
      return random.chance(0.1) ? process.create(name) : process.rename(`${random.pick(ids)}`, name);
    };
    const writer = async (process: Process) => {
      const results = new Set<unknown>();
      for (let round = 0; round < 40; round += 1) results.add(await refusal(write(process)));
      results.delete('done');
      for (const result of results) expect(result).toEqual(takenBy(TAKEN_OR_RESERVED));
    };
    await Promise.all([first, first, ...others, ...others].map(writer));

    const held = await namesIn(directory);
    expect(new Set(held).size).toBe(held.length);
    const later = muchLater(directory);
    for (const name of held) {
      expect(await refusal(first.create(name))).toEqual(takenBy('taken'));
      expect(await refusal(later.create(name))).toEqual(takenBy('taken'));
    }
  });
});

/** Returns the current comparable name of every specialty in the log. */
const namesIn = async (directory: string): Promise<readonly string[]> => {
  const facts = new SqliteFacts(directory);
  const names = new Map<string, string>();
  const held = new Map<string, string>();
  for (const { stream, data } of await eventsIn(facts, ['specialty'])) {
    const name = comparableName(String((data as { name: unknown }).name));
    const before = names.get(stream);
    if (before !== undefined) held.delete(before);
    // No two specialties may have one name at any time.
    expect([name, held.get(name) ?? stream]).toEqual([name, stream]);
    names.set(stream, name);
    held.set(name, stream);
  }
  await facts.close();
  return [...held.keys()];
};
