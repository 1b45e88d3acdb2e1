// Runs `npm run demo` as a separate process and checks what it prints about people and the audit trail.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the demo to its end. Calls `onText` with the whole output so far whenever the demo prints. */
export const runDemo = async (
  environment: Readonly<Record<string, string>>,
  onText: (output: string) => void = () => {},
) => {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const child = spawn('npm', ['run', '--silent', 'demo'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (output: string) => {
    out += output;
    onText(out);
  });
  const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return { code: code as number | null, out, err };
};

/** Returns the statuses of all printed responses in their order. */
export const statusesIn = (out: string): readonly number[] =>
  [...out.matchAll(/^ {4}response {2}(\d+) /gm)].map(([, status]) => Number(status));

const LIFE = [
  ['-', 'ANALYSING'],
  ['ANALYSING', 'REJECTED'],
  ['REJECTED', 'ANALYSING'],
  ['ANALYSING', 'REJECTED'],
  ['REJECTED', 'APPROVED'],
];

/**
 * Expects the history of a profile, an earlier state of the profile, the audit trail, and the history of an erased
 * person.
 */
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

/** Returns the states before and after each step in the table of a history. The first match is the heading. */
const statesIn = (text: string) =>
  [...text.matchAll(/(\S+) → (\S+)/g)].slice(1).map(([, before, after]) => [before, after]);
