// Runs the commands of documents in the order of the page, with bash and a separate service that requires sign-in.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingProgram } from '../support/bash.js';
import { PageReader } from '../support/page-reader.js';
import { missingFrom, type Step, stepsIn } from '../support/shell-document.js';

const START = 'AUTH=required npm start\n';

const allStepsOf = (page: string): readonly Step[] =>
  stepsIn(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'));

/** Returns the steps of a page except the start of the service, which the test starts. */
const stepsOf = (page: string): readonly Step[] => allStepsOf(page).filter(({ commands }) => commands !== START);

/** Runs pages one after the other in one shell, after the commands `before`. */
const runThePages = (pages: readonly string[], before = ':') =>
  describe(`${pages.join(', ')}: every output on the page equals the real output`, () => {
    const reader = new PageReader();
    beforeAll(async () => {
      await reader.start();
      await reader.type(before);
    });
    afterAll(() => reader.end());

    it.each(pages.flatMap(stepsOf).map((step, index) => ({ name: `${index + 1}, ${step.section}`, ...step })))(
      'step $name',
      async ({ commands, shown }) => {
        const output = await reader.type(commands);
        const missing = shown === undefined ? undefined : missingFrom(output, shown);
        expect(missing, `missing in this output:\n${output}`).toBeUndefined();
      },
    );
  });

/** Creates Rita, an administrator. */
const ADMINISTRATOR = `
echo 'correct horse battery staple' | npm run --silent cli -- admin create --email rita@example.org --name 'Rita Alves'
`;

/** What an auditor finds: Rita approved Ana. */
const DECISION = `${ADMINISTRATOR}
BASE=http://127.0.0.1:3000 JSON='content-type: application/json'
json() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
RITA="authorization: Bearer $(curl -s $BASE/auth-service/auth -H "$JSON" \
  -d '{"email": "rita@example.org", "password": "correct horse battery staple"}' | json token)"
curl -s $BASE/users/doctor -H "$RITA" -H "$JSON" -d '{
  "firstName": "Ana", "lastName": "Souza", "document": "529.982.247-25",
  "profiles": [{"documentDoctor": "CRM/SP 123456", "documentDoctorState": "SP"}],
  "auth": {"email": "ana@example.org", "password": "correct horse battery staple"}}' > ana
PERSON=$(json id < ana) PROFILE=$(json 'profiles[0].id' < ana)
curl -s -X PATCH $BASE/users/$PERSON/profiles/$PROFILE/approve -H "$RITA" -H "$JSON" \
  -H 'origin: https://desk.hospital.example' -d '{"reason": "The registration was checked with the council."}'
`;

it('docs/web-client.md begins with the start of the service', () =>
  expect(allStepsOf('docs/web-client.md')[0]?.commands).toBe(START));

const runs = [
  { pages: ['docs/web-client.md'] },
  { pages: ['docs/auditing.md', 'docs/audit-log.md'], before: DECISION },
  { pages: ['docs/protocols.md'], before: ADMINISTRATOR },
];
const reason = missingProgram('bash', 'curl', 'sha256sum');
for (const { pages, before } of runs) {
  if (reason === undefined) runThePages(pages, before);
  else it(`${pages.join(', ')} runs`, ({ skip }) => skip(reason));
}
