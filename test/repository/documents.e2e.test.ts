// Runs the commands of documents in the order of the page, with bash and a separate service that requires sign-in.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingProgram } from '../support/bash.js';
import { PageReader } from '../support/page-reader.js';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const runThePage = (page: string) =>
  describe(`${page}: every output on the page equals the real output`, () => {
    const [start, ...steps] = stepsIn(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'));
    const reader = new PageReader();
    beforeAll(() => reader.start());
    afterAll(() => reader.end());

    it('begins with the start of the service', () => expect(start?.commands).toBe('AUTH=required npm start\n'));

    it.each(steps.map((step, index) => ({ name: `${index + 1}, ${step.section}`, ...step })))(
      'step $name',
      async ({ commands, shown }) => {
        const output = await reader.type(commands);
        const missing = shown === undefined ? undefined : missingFrom(output, shown);
        expect(missing, `missing in this output:\n${output}`).toBeUndefined();
      },
    );
  });

const reason = missingProgram('bash', 'curl', 'sha256sum');
for (const page of ['docs/auditing.md', 'docs/web-client.md']) {
  if (reason === undefined) runThePage(page);
  else it(`${page} runs`, ({ skip }) => skip(reason));
}
