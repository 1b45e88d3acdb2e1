// A form has at most 900 KiB, measured as the event that copies it into a new version: endpoints 1, 2, 5, 7, 8, 9 and
// 10. An append has at most as many bytes as the log accepts.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem } from './refusals.js';
import {
  createInstitution,
  type Form,
  first,
  nth,
  type ProtocolAndForm,
  question,
  questionnaire,
  select,
  successful,
} from './samples.js';

const KIB = 1_024;
const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const note = (kib: number) => ({ metadata: { note: 'x'.repeat(kib * KIB) } });

/** Creates a protocol whose form has a little more than `kib` KiB: a long question, and a question with two options. */
const formOf = async (kib: number): Promise<ProtocolAndForm> => {
  const sent = questionnaire(institutionId, { questions: [question(1, note(kib)), select(2, 2)] });
  return successful(await server.post<ProtocolAndForm>('/protocols/questionnaires', sent)).body;
};

interface Growth {
  readonly endpoint: string;
  readonly send: (made: ProtocolAndForm) => ReturnType<typeof server.post>;
}

const growths: readonly Growth[] = [
  {
    endpoint: 'POST /protocols/questionnaires',
    send: () =>
      server.post('/protocols/questionnaires', questionnaire(institutionId, { questions: [question(1, note(900))] })),
  },
  {
    endpoint: 'PUT /protocols/{id}/questionnaire',
    send: ({ protocol, form }) => {
      const sent = { formId: form.id, questions: [question(1, note(900))], scoreRanges: [] };
      return server.put(`/protocols/${protocol.id}/questionnaire`, sent);
    },
  },
  {
    endpoint: 'POST /protocols/{id}/forms/{formId}/questions',
    send: ({ protocol, form }) =>
      server.post(`/protocols/${protocol.id}/forms/${form.id}/questions`, { questionText: 'Long', ...note(10) }),
  },
  {
    endpoint: 'PUT /protocols/{id}/questions/{questionId}',
    send: ({ protocol, form }) =>
      server.put(`/protocols/${protocol.id}/questions/${nth(form.questions, 1).id}`, note(10)),
  },
  {
    endpoint: 'POST /protocols/{id}/questions/{questionId}/options',
    send: ({ protocol, form }) => {
      const sent = { optionText: '字'.repeat(2_000), score: 1 };
      return server.post(`/protocols/${protocol.id}/questions/${nth(form.questions, 1).id}/options`, sent);
    },
  },
  {
    endpoint: 'PUT /protocols/{id}/options/{optionId}',
    send: ({ protocol, form }) => {
      const option = first(nth(form.questions, 1).options);
      return server.put(`/protocols/${protocol.id}/options/${option.id}`, { optionText: '字'.repeat(2_000) });
    },
  },
];

describe('a form of nearly 900 KiB', () => {
  it.each(growths)('cannot grow above 900 KiB by $endpoint: 409 with the limit', async ({ send }) => {
    const made = await formOf(897);
    const document = expectProblem(await expectNothingStored(server, () => send(made)), 409, 'form-too-large');
    expect(document).toMatchObject({ limit: 900 * KIB, bytes: expect.any(Number) });
    expect((document as unknown as { bytes: number }).bytes).toBeGreaterThan(900 * KIB);
  });

  it('can be copied, and copied again', async () => {
    const { protocol } = await formOf(897);
    for (const version of [2, 3]) {
      const { status, body } = await server.post<Form>(`/protocols/${protocol.id}/forms/versions`);
      expect([status, body.version]).toEqual([201, version]);
    }
  });

  it('accepts more questions after it has become smaller', async () => {
    const { protocol, form } = await formOf(897);
    successful(await server.put(`/protocols/${protocol.id}/questions/${first(form.questions).id}`, note(1)));
    const more = { questionText: 'Long', ...note(800) };
    expect((await server.post(`/protocols/${protocol.id}/forms/${form.id}/questions`, more)).status).toBe(201);
  });

  it('can be replaced by a form of the same size', async () => {
    const { protocol, form } = await formOf(897);
    const sent = { formId: form.id, questions: [question(1, note(897))], scoreRanges: [] };
    expect((await server.put(`/protocols/${protocol.id}/questionnaire`, sent)).status).toBe(200);
  });
});

describe('the event of a request', () => {
  it('may not be larger than the log accepts in one append: 413', async () => {
    // The event is larger than the request because every question gets an id.
    const questions = Array.from({ length: 500 }, () => ({ questionText: 'x'.repeat(1_400), responseType: 'TEXT' }));
    const sent = { institutionId, name: 'Long', prompt: '字'.repeat(100_000), questions, scoreRanges: [] };
    expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(1_024 * KIB);
    const create = () => server.post('/protocols/questionnaires', sent);
    expectProblem(await expectNothingStored(server, create), 413, 'too-large');
  });
});

describe('a refusal with a limit', () => {
  it('names the limit, also for a number of items', async () => {
    const { protocol, form } = await formOf(1);
    const { id } = nth(form.questions, 1);
    const options = Array.from({ length: 200 }, (_, n) => ({ optionText: `${n}`, score: n }));
    const sent = { formId: form.id, questions: [{ ...select(1, 0), id, options }], scoreRanges: [] };
    successful(await server.put(`/protocols/${protocol.id}/questionnaire`, sent));
    const response = await server.post(`/protocols/${protocol.id}/questions/${id}/options`, {
      optionText: 'x',
      score: 1,
    });
    expect(expectProblem(response, 409, 'too-many-options')).toMatchObject({ limit: 200 });
  });
});
