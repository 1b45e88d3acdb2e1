// Runs the commands of docs/web-client.md in the order of the page, with bash and a separate service.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemKinds } from '../../src/http/problems/problem-kinds.js';
import { missingProgram } from '../support/bash.js';
import { PageReader } from '../support/page-reader.js';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const page = readFileSync(new URL('../../docs/web-client.md', import.meta.url), 'utf8');
const [start, ...steps] = stepsIn(page);

const runThePage = () =>
  describe('every response on the page equals the real response', () => {
    const reader = new PageReader();
    beforeAll(() => reader.start());
    afterAll(() => reader.end());

    it.each(steps.map((step, index) => ({ name: `${index + 1}, ${step.section}`, ...step })))(
      'step $name',
      async ({ commands, shown }) => {
        const output = await reader.type(commands);
        const missing = shown === undefined ? undefined : missingFrom(output, shown);
        expect(missing, `missing in this output:\n${output}`).toBeUndefined();
      },
    );
  });

describe('docs/web-client.md', () => {
  it('begins with the start of a service that requires sign-in', () => {
    expect(start?.commands).toBe('AUTH=required npm start\n');
  });

  const reason = missingProgram('bash', 'curl');
  if (reason === undefined) runThePage();
  else it('runs', ({ skip }) => skip(reason));

  it('names only codes that exist, each with its status', () => {
    const [, errors = ''] = page.split('\n## Errors\n');
    const advised = [...errors.matchAll(/^- (\d{3}) ([^:]+):/gm)].flatMap(([, status, codes = '']) =>
      codesIn(codes).map((code) => [code, Number(status)] as const),
    );
    const known = new Map<string, number>(Object.entries(problemKinds).map(([code, { status }]) => [code, status]));
    expect(advised.length).toBeGreaterThan(5);
    expect(advised.filter(([code, status]) => known.get(code) !== status)).toEqual([]);
  });
});

const codesIn = (text: string): readonly string[] => [...text.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code);
