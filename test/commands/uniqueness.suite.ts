// The command handler keeps values unique, with several processes on one log and one vault. What a claim guarantees, also
// after a kill, is in claims.suite.ts.
import { describe, expect, it } from 'vitest';
import { PENDING_MS } from '../../src/commands/claims.js';
import { PreconditionFailed } from '../../src/commands/context.js';
import { seededIds } from '../../src/commands/ids.js';
import { comparableName } from '../../src/domain/comparable.js';
import { DomainError } from '../../src/domain/errors.js';
import { specialty, specialtyFields } from '../../src/domain/specialty.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { intercepted } from '../projections/support/intercepted.js';
import { eventsIn } from '../projections/support/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import type { OpenedStores } from '../support/opened-stores.js';
import { Random } from '../support/random.js';
import { contextOf, killed, processOn } from './support/process.js';

type Open = (directory: string) => OpenedStores;

/** Returns a function that starts a process, which writes specialties and registers users, on the stores of a directory. */
const starter =
  (open: Open) =>
  (directory: string, options: Omit<Parameters<typeof processOn>[1] & object, 'stores'> = {}) => {
    const { handle, vault } = processOn(directory, { ...options, stores: open(directory) });
    return {
      vault,
      create: async (name: string, context = contextOf()) => {
        const data = { name, description: null, enabled: true };
        return specialtyFields((await handle(specialty, 'new', { type: 'CreateSpecialty', data }, context)).state);
      },
      rename: async (id: string, name: string, context = contextOf()) => {
        const command = { type: 'ReviseSpecialty', data: { name } } as const;
        return specialtyFields((await handle(specialty, id, command, context)).state);
      },
      register: (person: object) =>
        handle(user, 'new', { type: 'RegisterUser', data: userCommands.RegisterUser.parse(person) }, contextOf()),
    };
  };

type Process = ReturnType<ReturnType<typeof starter>>;

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
const expectKilled = (attempt: Promise<unknown>) => expect(attempt).rejects.toBeInstanceOf(StoreUnavailable);

/** Returns the current comparable name of every specialty in the log. */
const namesIn = async ({ facts }: OpenedStores): Promise<readonly string[]> => {
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
  return [...held.keys()];
};

/** Declares the rules of unique values for the stores that `open` opens. */
export const uniquenessSuite = (stores: string, open: Open): void => {
  const startProcess = starter(open);
  /** Starts a process whose clock is so late that no claim is pending. */
  const startMuchLater = (directory: string) => startProcess(directory, { now: () => Date.now() + 2 * PENDING_MS });

  describe(`on ${stores}`, () => {
    describe('a name', () => {
      it('that another specialty has is refused by every process', async () => {
        const directory = temporaryDirectory();
        const [one, other] = [startProcess(directory), startProcess(directory)];
        await one.create('Neurología');
        const { id } = await other.create('Other');
        for (const process of [one, other]) {
          expect(await refusal(process.create('NEUROLOGIA'))).toEqual(takenBy('taken'));
          expect(await refusal(process.rename(id, 'neurologia'))).toEqual(takenBy('taken'));
        }
      });

      it('that a killed process was about to record is reserved for others', async () => {
        const directory = temporaryDirectory();
        await expectKilled(startProcess(directory, { around: killed('before') }).create('Name'));
        expect(await refusal(startProcess(directory).create('Name'))).toEqual(takenBy('reserved'));
      });

      it.each(['before', 'after'] as const)(
        'is kept by a retry of the command after a kill %s its append',
        async (when) => {
          const directory = temporaryDirectory();
          const [dying, next] = [startProcess(directory, { around: killed(when) }), startProcess(directory)];
          const ids = seededIds(SEED);
          await expectKilled(dying.create('Name', contextOf({ ids })));
          expect(await next.create('Name', contextOf({ ids, resumed: true }))).toMatchObject({ id: ids.aggregateId() });
        },
      );

      it('that was taken by another meanwhile does not change the response of a retry', async () => {
        const directory = temporaryDirectory();
        const [dying, next] = [startProcess(directory, { around: killed('after') }), startProcess(directory)];
        const ids = seededIds(SEED);
        await expectKilled(dying.create('Name', contextOf({ ids })));
        await next.rename(ids.aggregateId(), 'New name');
        await expect(next.create('Name')).resolves.toMatchObject({ name: 'Name' });
        expect(await next.create('Name', contextOf({ ids, resumed: true }))).toMatchObject({ id: ids.aggregateId() });
      });

      it('of a stale precondition is refused if another specialty has it, and else neither claimed nor freed', async () => {
        const directory = temporaryDirectory();
        const { create, rename } = startProcess(directory);
        await create('Taken');
        const { id } = await create('Old');
        const writes: string[] = [];
        const { facts, vault } = open(directory);
        const noted = intercepted(vault, (name, _, call) => {
          if (!name.startsWith('get')) writes.push(name);
          return call();
        });
        const { handle } = processOn(directory, { stores: { facts, vault: noted } });
        const stale = (name: string) =>
          handle(specialty, id, { type: 'ReviseSpecialty', data: { name } }, contextOf({ precondition: [7] }));
        expect(await refusal(stale('TAKEN'))).toEqual(takenBy('taken'));
        for (const name of ['New', 'OLD']) await expect(stale(name)).rejects.toBeInstanceOf(PreconditionFailed);
        expect(writes).toEqual([]);
        expect(await create('New')).toMatchObject({ name: 'New' });
        expect(await refusal(create('Old'))).toEqual(takenBy('taken'));
        expect(await rename(id, 'Next', contextOf({ precondition: [0] }))).toMatchObject({ name: 'Next' });
      });

      it('stays with its specialty while two processes rename the specialty concurrently', async () => {
        const directory = temporaryDirectory();
        const [one, other, later] = [startProcess(directory), startProcess(directory), startMuchLater(directory)];
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
        const [first, ...others] = [startProcess(directory), startProcess(directory), startProcess(directory)];
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

        const held = await namesIn(open(directory));
        expect(new Set(held).size).toBe(held.length);
        const later = startMuchLater(directory);
        for (const name of held) {
          expect(await refusal(first.create(name))).toEqual(takenBy('taken'));
          expect(await refusal(later.create(name))).toEqual(takenBy('taken'));
        }
      });
    });

    describe('an e-mail and a document', () => {
      const person = { firstName: 'Ana', lastName: 'Souza', acceptedTerms: true };
      const [email, document] = ['ana@example.org', '529.982.247-25'];
      const rewritten = { ...person, email: 'ANA@example.org', document: '52998224725' };

      it('are refused together, each with its path, however they are written', async () => {
        const process = startProcess(temporaryDirectory());
        await process.register({ ...person, email, document });
        const errors = ['email', 'document'].map((field) => expect.objectContaining({ path: [field], code: 'taken' }));
        expect(await refusal(process.register(rewritten))).toEqual([
          'user-taken',
          { errors: expect.arrayContaining(errors) },
        ]);
      });

      it('are free after the vault removed the person, because their claims belong to the person', async () => {
        const { register, vault } = startProcess(temporaryDirectory());
        const { id } = await register({ ...person, email, document });
        expect(await vault.ofSubject('claim', id)).toHaveLength(2);
        await vault.removeSubject(id);
        expect((await register(rewritten)).id).not.toBe(id);
      });
    });
  });
};
