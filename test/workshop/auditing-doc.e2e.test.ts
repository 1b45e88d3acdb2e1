// docs/auditing.md is run: its commands by bash against a service where callers must sign in, in the order of the page.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allDeciders } from '../../src/domain/all.js';
import { missingProgram } from '../support/bash.js';
import { PageReader } from '../support/page-reader.js';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const page = readFileSync(new URL('../../docs/auditing.md', import.meta.url), 'utf8');
const [start, ...steps] = stepsIn(page);

const runThePage = () =>
  describe('every output that it shows is the one that comes', () => {
    const reader = new PageReader();
    beforeAll(() => reader.start());
    afterAll(() => reader.end());

    it.each(steps.map((step, index) => ({ name: `${index + 1}, ${step.section}`, ...step })))(
      'step $name',
      async ({ commands, shown }) => {
        const output = await reader.type(commands);
        const missing = shown === undefined ? undefined : missingFrom(output, shown);
        expect(missing, `not in what came:\n${output}`).toBeUndefined();
      },
    );
  });

describe('docs/auditing.md', () => {
  it('begins with the start of a service where callers must sign in', () => {
    expect(start?.commands).toBe('AUTH=required npm start\n');
  });

  const reason = missingProgram('bash', 'curl', 'sha256sum');
  if (reason === undefined) runThePage();
  else it('is run', ({ skip }) => skip(reason));

  it('lists every category of the log, and no other', () => {
    const [, table = ''] = /^\| category \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, category]) => category);
    expect(listed.toSorted()).toEqual(allDeciders.map(({ aggregate }) => aggregate).toSorted());
  });
});
