import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ENOUGH, heldTo, TRIES, tooLow } from '../../bench/src/lib/recorded.js';
import type { Row } from '../../bench/src/measure.js';
import type { TargetName } from '../../bench/src/targets.js';

const row = (target: TargetName, median: number): Row => ({
  what: target,
  unit: 'requests/s',
  ours: median,
  ratio: { min: median, median, max: median },
  target,
});

/** Returns a measure whose runs return the given results in turn, and the number of its runs. */
const measureOf = (...results: readonly (readonly Row[] | Error)[]) => {
  let runs = 0;
  const run = async () => {
    const result = results[runs];
    runs += 1;
    if (result === undefined) throw new Error('the measure ran too often');
    if (result instanceof Error) throw result;
    return result;
  };
  return { run, runs: () => runs };
};

const recorded = { 'post-crud': 1, replay: 0.5 };
const [good, low] = [row('post-crud', ENOUGH), row('post-crud', ENOUGH - 0.01)];

describe('the targets that are too low', () => {
  const { ratio: _, ...figure } = low;
  it.each<[string, readonly Row[], readonly string[]]>([
    ['are those below the share of the recorded ratio', [low, row('replay', 0.5)], ['post-crud']],
    ['are not those at exactly the share', [good], []],
    ['are not those above the recorded ratio', [row('post-crud', 3)], []],
    ['are those whose ratio is not a number', [row('post-crud', Number.NaN)], ['post-crud']],
    ['are not those that were never recorded', [row('append', 0.001)], []],
    ['are not rows without a ratio', [figure], []],
  ])('%s', (_, rows, targets) => expect(tooLow(rows, recorded)).toEqual(targets));
});

describe('heldTo', () => {
  it('runs a measure once if no ratio is too low', async () => {
    const measure = measureOf([good]);
    expect(await heldTo(recorded, measure.run)).toEqual({ rows: [good], fallen: [] });
    expect(measure.runs()).toBe(1);
  });
  it('passes a measure whose last try is high enough', async () => {
    const measure = measureOf([low], [low], [good]);
    expect(await heldTo(recorded, measure.run)).toEqual({ rows: [good], fallen: [] });
  });
  it('names the targets that were too low in every try', async () => {
    const measure = measureOf([low], [low], [low]);
    expect(await heldTo(recorded, measure.run)).toEqual({ rows: [low], fallen: ['post-crud'] });
    expect(measure.runs()).toBe(TRIES);
  });
  it('passes a measure whose targets were too low in different tries', async () => {
    const lowReplay = row('replay', 0.01);
    const measure = measureOf([low, row('replay', 1)], [good, lowReplay]);
    expect((await heldTo(recorded, measure.run)).fallen).toEqual([]);
    expect(measure.runs()).toBe(2);
  });
  it('tries again if a measure rejects', async () => {
    const failure = new Error('a timeout');
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => printed.mockRestore());
    expect(await heldTo(recorded, measureOf(failure, [good]).run)).toEqual({ rows: [good], fallen: [] });
    expect(printed).toHaveBeenCalledExactlyOnceWith(failure);
  });
  it('rejects if the last try rejects', () =>
    expect(heldTo(recorded, measureOf([low], [low], new Error('no server')).run)).rejects.toThrow('no server'));
});
