// Runs the commands of docs/auditing.md in the order of the page, with bash and a service that requires sign-in.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allDeciders } from '../../src/domain/all.js';
import { missingProgram } from '../support/bash.js';
import { PageReader } from '../support/page-reader.js';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const page = readFileSync(new URL('../../docs/auditing.md', import.meta.url), 'utf8');
const [start, ...steps] = stepsIn(page);

const runThePage = () =>
  describe('every output on the page equals the real output', () => {
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

describe('docs/auditing.md', () => {
  it('begins with the start of a service that requires sign-in', () => {
    expect(start?.commands).toBe('AUTH=required npm start\n');
  });

  const reason = missingProgram('bash', 'curl', 'sha256sum');
  if (reason === undefined) runThePage();
  else it('runs', ({ skip }) => skip(reason));

  it('lists exactly the categories of the log', () => {
    const [, table = ''] = /^\| category \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, category]) => category);
    expect(listed.toSorted()).toEqual(allDeciders.map(({ aggregate }) => aggregate).toSorted());
  });
});
