import { expect, it } from 'vitest';
import { type CpuProfile, REST, timesOf } from '../../bench/src/lib/cpu-profile.js';

/** Frames from a caller to the running function. */
type Stack = readonly (readonly [functionName: string, url?: string])[];

/** Returns a profile with a sample every 10 µs, one for each stack. */
const profileOf = (...stacks: readonly Stack[]): CpuProfile => {
  let id = 0;
  const chains = stacks.map((stack) =>
    stack.map(([functionName, url = '']) => {
      id += 1;
      return { id, callFrame: { functionName, url } };
    }),
  );
  const nodes = chains.flatMap((chain) =>
    chain.map((node, depth) => ({ ...node, children: chain.slice(depth + 1, depth + 2).map((next) => next.id) })),
  );
  const samples = chains.map((chain) => chain.at(-1)?.id ?? 0);
  return { nodes, samples, startTime: 1_000, timeDeltas: samples.map(() => 10).concat(10) };
};

const busyTimes = (...stacks: readonly Stack[]) => {
  const times = timesOf(profileOf(...stacks), 0, Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(Object.entries(times).filter(([, time]) => time > 0));
};

const tracing = 'file:///x/dist/infrastructure/tracing.js';

it.each<[string, Stack, string]>([
  [
    'the first part that a caller belongs to',
    [['leafHash', 'file:///x/dist/transparency/leaf.js'], ['update']],
    'signed tree',
  ],
  [
    'JSON, if only JSON is running',
    [['handle', 'file:///x/dist/http/a.js'], ['stringifyOfJson']],
    'JSON.stringify and JSON.parse',
  ],
  ['a span, if the span itself is running', [['inSpan', tracing]], 'traces'],
  [
    'the work that a span encloses, not the span',
    [
      ['inSpan', tracing],
      ['handle', 'file:///x/dist/http/a.js'],
    ],
    REST,
  ],
])('a stack counts for %s', (_, stack, part) => expect(busyTimes(stack)).toEqual({ [part]: 10 }));

it('leaves out the time in which the thread is idle', () =>
  expect(busyTimes([['(idle)']], [['(garbage collector)']])).toEqual({ garbage: 10 }));

it('counts the samples from the first time up to the second', () => {
  const profile = profileOf([['a']], [['b']], [['c']]);
  expect(timesOf(profile, 1_020, 1_030)[REST]).toBe(10);
});
