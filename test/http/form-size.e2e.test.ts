// A form has at most 900 KiB, and an append has at most as many bytes as the log accepts. The rules of growth are in
// test/domain/protocol/form-size.test.ts.
import { expect, it } from 'vitest';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, type ProblemDocument } from './support/refusals.js';
import { createInstitution, createQuestionnaire, numbered, question, questionnaire } from './support/samples.js';

const KIB = 1_024;
const server = sharedService();
const note = (kib: number) => ({ metadata: { note: 'x'.repeat(kib * KIB) } });

it('refuses to grow a form above 900 KiB with 409 and the limit', async () => {
  const { id } = await createInstitution(server);
  const { protocol, form } = await createQuestionnaire(server, id, {
    questions: [question(1, note(897)), question(2)],
  });
  const growths = [
    () => server.post('/protocols/questionnaires', questionnaire(id, { questions: [question(1, note(900))] })),
    () => server.put(`/protocols/${protocol.id}/questions/${nth(form.questions, 1).id}`, note(10)),
  ];
  for (const grow of growths) {
    const document = expectProblem(await expectNothingStored(server, grow), 409, 'form-too-large');
    expect(document).toMatchObject({ limit: 900 * KIB });
    expect((document as ProblemDocument & { bytes: number }).bytes).toBeGreaterThan(900 * KIB);
  }
});

it('refuses an event that is larger than the log accepts in one append with 413', async () => {
  // The event is larger than the request because every question gets an id.
  const questions = numbered(500, () => ({ questionText: 'x'.repeat(1_400), responseType: 'TEXT' }));
  const { id: institutionId } = await createInstitution(server);
  const sent = { institutionId, name: 'Long', prompt: '字'.repeat(100_000), questions, scoreRanges: [] };
  expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(1_024 * KIB);
  const create = () => server.post('/protocols/questionnaires', sent);
  expectProblem(await expectNothingStored(server, create), 413, 'too-large');
});
