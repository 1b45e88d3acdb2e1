import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Analyses, AnalysisBusy } from '../../src/commands/analyses.js';
import { analysisOf } from '../../src/domain/scoring/analysis.js';
import { formOf, many } from '../domain/support/scoring.js';

const small = formOf([{ options: [0, 1] }]);
const result = { undecided: false, totals: { count: 2 } };

/** Returns analyses that go on until they are released, and the names of those that have begun. */
const steered = () => {
  const begun: string[] = [];
  const released = new Set<string>();
  const analyses = new Analyses(function* (form) {
    const [question] = form.questions;
    const name = question?.questionText ?? '';
    begun.push(name);
    while (!released.has(name)) yield;
    return yield* analysisOf(form);
  });
  const request = (name: string, caller = 'a') => {
    const questions = small.questions.map((question) => ({ ...question, questionText: name }));
    return analyses.of({ ...small, questions }, caller);
  };
  const release = async (...names: readonly string[]) => {
    for (const name of names) released.add(name);
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  };
  return { begun, request, release };
};

describe('the analyses of a process', () => {
  it('run two at a time, the others in their order', async () => {
    const { begun, request, release } = steered();
    const all = ['1', '2', '3', '4'].map((name) => request(name, `caller ${name}`));
    await release();
    expect(begun).toEqual(['1', '2']);
    await release('2');
    expect(begun).toEqual(['1', '2', '3']);
    await release('1');
    expect(begun).toEqual(['1', '2', '3', '4']);
    await release('3', '4');
    expect(await Promise.all(all)).toMatchObject(all.map(() => result));
  });

  it('wait at most four for each caller', async () => {
    const { begun, request, release } = steered();
    const taken = ['1', '2', '3', '4', '5', '6'].map((name) => request(name));
    await expect(request('7')).rejects.toThrow(AnalysisBusy);
    const other = request('7', 'b');
    await release('1');
    const next = request('8');
    await expect(request('9')).rejects.toThrow(AnalysisBusy);
    await release('2', '3', '4', '5', '6', '7', '8');
    expect(begun).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(await Promise.all([...taken, other, next])).toHaveLength(8);
    // Nothing is left of the counts.
    const again = ['1', '2', '3', '4', '5', '6'].map((name) => request(name));
    await release();
    expect(await Promise.all(again)).toHaveLength(6);
  });

  it('are shared by equal requests, whose number has no limit', async () => {
    const { begun, request, release } = steered();
    const running = [request('1'), request('2')];
    const equal = many(20, () => request('3'));
    await release('1', '2', '3');
    const [first, ...others] = await Promise.all(equal);
    expect(others.every((other) => other === first)).toBe(true);
    expect(begun).toEqual(['1', '2', '3']);
    await Promise.all(running);
    await request('3');
    expect(begun).toHaveLength(4);
  });

  it('do not begin in the turn in which another one ends', async () => {
    const { begun, request, release } = steered();
    const [first, ...others] = ['1', '2', '3'].map((name) => request(name));
    const released = release('1');
    await first;
    for (let promise = 0; promise < 50; promise += 1) await undefined;
    expect(begun).toEqual(['1', '2']);
    await released;
    expect(begun).toEqual(['1', '2', '3']);
    await release('2', '3');
    expect(await Promise.all(others)).toHaveLength(2);
  });

  it('give the event loop turns', async () => {
    // Each step is longer than a turn.
    const analyses = new Analyses(function* (form) {
      for (let step = 0; step < 5; step += 1) {
        for (const began = performance.now(); performance.now() - began < 10; );
        yield;
      }
      return yield* analysisOf(form);
    });
    let turns = 0;
    let isDone = false;
    const count = async () => {
      while (!isDone) {
        await nextTurn();
        turns += 1;
      }
    };
    const counting = count();
    const found = await analyses.of(small, 'a');
    isDone = true;
    await counting;
    expect(found.undecided).toBe(false);
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});
