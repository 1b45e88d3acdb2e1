// Commands whose form is analysed first: what is recorded, and at which revision, whatever others do meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Analyses } from '../../src/commands/analyses.js';
import { type Check, checkedHandler } from '../../src/commands/checked-command.js';
import { ActorRefused, type CommandContext, PreconditionFailed, TooContended } from '../../src/commands/context.js';
import { protocol } from '../../src/domain/protocol/decide.js';
import { formOf, latestFormOf } from '../../src/domain/protocol/fold.js';
import { protocolCommands } from '../../src/domain/protocol/schemas.js';
import { analysisOf } from '../../src/domain/scoring/analysis.js';
import type { ScoredForm } from '../../src/domain/scoring/answers.js';
import type { Analysis } from '../../src/domain/scoring/schemas.js';
import { temporaryDirectory } from '../support/directory.js';
import { uuidOf } from '../support/specification.js';
import { contextOf, processOn } from './support/process.js';

const content = (maxScore: number) => ({
  questions: [
    {
      questionText: 'Pain',
      responseType: 'SELECT' as const,
      required: true,
      options: [
        { optionText: 'No', score: 0 },
        { optionText: 'Yes', score: 3 },
      ],
    },
  ],
  scoreRanges: [{ minScore: 0, maxScore, classification: 'Any' }],
});
const SOUND = content(3);
const FAULTY = content(2);

type Analyse = (form: ScoredForm) => Generator<unknown, Analysis, void>;

/** Returns a process on the stores of a directory, whose analyses can be steered. */
const checkedProcess = (directory: string, analyse: Analyse = analysisOf) => {
  const { handle, streams } = processOn(directory);
  const checked = checkedHandler({ streams, handle, analyses: new Analyses(analyse) });
  const create = async (sent: ReturnType<typeof content>) => {
    const data = protocolCommands.CreateQuestionnaire.parse({ institutionId: uuidOf(1), name: 'Pain', ...sent });
    const { id, state } = await handle(protocol, 'new', { type: 'CreateQuestionnaire', data }, contextOf());
    return { id, formId: latestFormOf(state)?.id ?? expect.fail('no form') };
  };
  const replace = (id: string, formId: string, sent: ReturnType<typeof content>) => {
    const data = protocolCommands.ReplaceQuestionnaire.parse({ formId, ...sent });
    return handle(protocol, id, { type: 'ReplaceQuestionnaire', data }, contextOf());
  };
  const rename = (id: string, name: string) =>
    handle(protocol, id, { type: 'ReviseProtocol', data: { name } }, contextOf());
  const publish = (id: string, formId: string, more: Partial<CommandContext> = {}, acceptsUndecided = false) => {
    const formIn: Check['formIn'] = (state) => formOf(state, formId);
    const command = { type: 'PublishForm', data: { formId, reason: null } } as const;
    return checked(id, command, { formIn, refusal: 'form-faulty', acceptsUndecided, caller: 'a' }, contextOf(more));
  };
  const statusOf = async (id: string, formId: string) =>
    formOf((await streams.fresh(protocol, id)).state, formId).status;
  return { create, replace, rename, publish, statusOf };
};

/** Returns an analysis that waits until it is released, and a promise of its beginning. */
const gate = () => {
  let isOpen = false;
  let hasBegun = false;
  const analyse: Analyse = function* (form) {
    hasBegun = true;
    while (!isOpen) yield;
    return yield* analysisOf(form);
  };
  return {
    analyse,
    begun: async () => {
      while (!hasBegun) await nextTurn();
    },
    open: () => {
      isOpen = true;
    },
  };
};

const faulty = { code: 'form-faulty', details: { findings: [{ code: 'total-without-range', min: 3, max: 3 }] } };

describe('publishing a form', () => {
  it('records the form without an error, and refuses the form with one', async () => {
    const { create, publish, statusOf } = checkedProcess(temporaryDirectory());
    const sound = await create(SOUND);
    const { events } = await publish(sound.id, sound.formId);
    expect(events).toMatchObject([{ type: 'ProtocolFormPublished' }]);
    const other = await create(FAULTY);
    await expect(publish(other.id, other.formId)).rejects.toMatchObject(faulty);
    expect(await statusOf(other.id, other.formId)).toBe('DRAFT');
  });

  it('returns what an interrupted attempt recorded, without another analysis', async () => {
    const directory = temporaryDirectory();
    const { create, publish } = checkedProcess(directory);
    const { id, formId } = await create(SOUND);
    const { ids } = contextOf();
    const { events } = await publish(id, formId, { ids });
    const without = checkedProcess(directory, () => expect.fail('analysed a form'));
    expect((await without.publish(id, formId, { ids, resumed: true })).events).toMatchObject(events);
  });

  const undecided: Analyse = (form) => analysisOf(form, { totals: 0, additions: 0 });

  it('refuses a form whose totals are undecided, unless the caller accepts that, which is recorded', async () => {
    const { create, publish, statusOf } = checkedProcess(temporaryDirectory(), undecided);
    const { id, formId } = await create(SOUND);
    await expect(publish(id, formId)).rejects.toMatchObject({
      code: 'form-faulty',
      details: { findings: [{ code: 'totals-undecided', severity: 'warning' }] },
    });
    expect(await statusOf(id, formId)).toBe('DRAFT');
    const { events } = await publish(id, formId, {}, true);
    expect(events).toEqual([{ type: 'ProtocolFormPublished', data: { formId, reason: null, undecided: true } }]);
  });

  it('refuses an error of a form whose totals are undecided in any case', async () => {
    const { create, publish } = checkedProcess(temporaryDirectory(), undecided);
    const { id, formId } = await create(FAULTY);
    const codes = (...expected: readonly string[]) => ({ details: { findings: expected.map((code) => ({ code })) } });
    await expect(publish(id, formId)).rejects.toMatchObject(codes('total-without-range', 'totals-undecided'));
    await expect(publish(id, formId, {}, true)).rejects.toMatchObject(codes('total-without-range'));
  });

  it('records nothing about totals that are decided, also if the caller would accept undecided ones', async () => {
    const { create, publish } = checkedProcess(temporaryDirectory());
    const { id, formId } = await create(SOUND);
    const { events } = await publish(id, formId, {}, true);
    expect(events).toEqual([{ type: 'ProtocolFormPublished', data: { formId, reason: null } }]);
  });

  it('analyses nothing if the command would record nothing, or if its revision is not met', async () => {
    const directory = temporaryDirectory();
    const { create, publish } = checkedProcess(directory);
    const { id, formId } = await create(SOUND);
    await publish(id, formId);
    const without = checkedProcess(directory, () => expect.fail('analysed a form'));
    expect((await without.publish(id, formId)).events).toEqual([]);
    await expect(without.publish(id, uuidOf(9))).rejects.toMatchObject({ code: 'form-not-found' });
    await expect(without.publish(uuidOf(9), formId)).rejects.toMatchObject({ code: 'protocol-not-found' });
    const draft = await create(FAULTY);
    await expect(without.publish(draft.id, draft.formId, { precondition: [5] })).rejects.toThrow(PreconditionFailed);
  });

  it('checks the actor again after the analysis, before it shows the findings', async () => {
    const { create, publish, statusOf } = checkedProcess(temporaryDirectory());
    const checkActor = async () => {
      throw new ActorRefused(new Error('the session has ended'));
    };
    for (const form of [SOUND, FAULTY]) {
      const { id, formId } = await create(form);
      await expect(publish(id, formId, { checkActor })).rejects.toThrow(ActorRefused);
      expect(await statusOf(id, formId)).toBe('DRAFT');
    }
  });

  it('begins again if the protocol changes during the analysis', async () => {
    const directory = temporaryDirectory();
    const { create, rename, statusOf } = checkedProcess(directory);
    const { id, formId } = await create(SOUND);
    const { analyse, begun, open } = gate();
    const publishing = checkedProcess(directory, analyse).publish(id, formId);
    await begun();
    await rename(id, 'Pain, revised');
    open();
    expect((await publishing).revision).toBe(3);
    expect(await statusOf(id, formId)).toBe('PUBLISHED');
  });

  it('does not begin again if the client names a revision', async () => {
    const directory = temporaryDirectory();
    const { create, rename, statusOf } = checkedProcess(directory);
    const { id, formId } = await create(SOUND);
    const { analyse, begun, open } = gate();
    const publisher = checkedProcess(directory, analyse);
    const publishing = publisher.publish(id, formId, { precondition: [1, 2] });
    const any = publisher.publish(id, formId, { precondition: 'any' });
    const refused = expect(publishing).rejects.toThrow(PreconditionFailed);
    await begun();
    await rename(id, 'Pain, revised');
    open();
    await refused;
    await any;
    expect(await statusOf(id, formId)).toBe('PUBLISHED');
  });

  it('gives up after five analyses during which the protocol changed', async () => {
    const directory = temporaryDirectory();
    const { create, rename, statusOf } = checkedProcess(directory);
    const { id, formId } = await create(SOUND);
    const renamed: Promise<unknown>[] = [];
    let isRenamed = false;
    const analyse: Analyse = function* (form) {
      isRenamed = false;
      renamed.push(
        rename(id, `Pain ${renamed.length}`).finally(() => {
          isRenamed = true;
        }),
      );
      while (!isRenamed) yield;
      return yield* analysisOf(form);
    };
    await expect(checkedProcess(directory, analyse).publish(id, formId)).rejects.toThrow(TooContended);
    expect(renamed).toHaveLength(5);
    await Promise.all(renamed);
    expect(await statusOf(id, formId)).toBe('DRAFT');
  });

  const ORDERS = [
    ['first', 'second', 'edit'],
    ['first', 'edit', 'second'],
    ['edit', 'first', 'second'],
  ] as const;
  it.each(ORDERS)('never publishes an error, if the order is %s, %s, %s', async (...order) => {
    const directory = temporaryDirectory();
    const { create, replace, statusOf } = checkedProcess(directory);
    const { id, formId } = await create(SOUND);
    const gates = { first: gate(), second: gate() };
    const publishing = {
      first: checkedProcess(directory, gates.first.analyse).publish(id, formId),
      second: checkedProcess(directory, gates.second.analyse).publish(id, formId),
    };
    await Promise.all([gates.first.begun(), gates.second.begun()]);
    const outcomes: string[] = [];
    const outcomeOf = (task: Promise<{ readonly events: readonly unknown[] }>) =>
      task.then(
        ({ events }) => `${events.length}`,
        ({ code }) => String(code),
      );
    for (const step of order) {
      if (step === 'edit') outcomes.push(await outcomeOf(replace(id, formId, FAULTY)));
      else {
        gates[step].open();
        outcomes.push(await outcomeOf(publishing[step]));
      }
    }
    const isEditFirst = order[0] === 'edit';
    expect(outcomes).toEqual(
      isEditFirst
        ? ['1', 'form-faulty', 'form-faulty']
        : order.map((step) => ({ first: '1', second: '0', edit: 'form-published' })[step]),
    );
    expect(await statusOf(id, formId)).toBe(isEditFirst ? 'DRAFT' : 'PUBLISHED');
  });
});
