// npm run demo as a process of its own, and what of people and audit it must have shown.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs it to its end beside the service of an environment; `onText` hears all that it has said so far, as it comes. */
export const runDemo = async (
  environment: Readonly<Record<string, string>>,
  onText: (said: string) => void = () => {},
) => {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const child = spawn('npm', ['run', '--silent', 'demo'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (said: string) => {
    out += said;
    onText(out);
  });
  const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return { code: code as number | null, out, err };
};

/** Returns the statuses of all responses that the demo printed, in their order. */
export const statusesIn = (out: string): readonly number[] =>
  [...out.matchAll(/^ {4}response {2}(\d+) /gm)].map(([, status]) => Number(status));

const LIFE = [
  ['-', 'ANALYSING'],
  ['ANALYSING', 'REJECTED'],
  ['REJECTED', 'ANALYSING'],
  ['ANALYSING', 'REJECTED'],
  ['REJECTED', 'APPROVED'],
];

/** Expects the history of a profile, the profile as it was, the audit trail, and the history of an erased person. */
export const expectPeopleIn = (out: string): void => {
  const history = between(out, "The history of Bruno's profile", 'The same profile');
  expect(statesIn(history)).toEqual(LIFE);
  expect(history).toContain('The council does not know this number.');
  expect(between(out, 'The same profile', 'The audit trail')).toMatch(/Z {2}ANALYSING.*\n {2}now +APPROVED/);
  expect(between(out, 'The audit trail', 'Bruno is erased')).toContain('AuditTrailRead');
  const erased = between(out, 'the history still says', 'Open next');
  expect(statesIn(erased)).toEqual([...LIFE, ['APPROVED', 'APPROVED']]);
  expect(erased).not.toMatch(/CRM|council|copy/);
  expect(out).toContain('sealed in the log after   the same');
};

const between = (out: string, from: string, to: string): string => out.split(from)[1]?.split(to)[0] ?? '';

/** The states before and after each step of a history's table, which begins below its heads. */
const statesIn = (text: string) =>
  [...text.matchAll(/(\S+) → (\S+)/g)].slice(1).map(([, before, after]) => [before, after]);
