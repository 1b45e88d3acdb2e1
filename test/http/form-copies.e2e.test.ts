// Versions from any form of a protocol, and copies of a protocol.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import {
  content,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  type Protocol,
  type ProtocolAndForm,
  question,
  select,
  successful,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
let root: string;
let form: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(async () => {
  made = await createQuestionnaire(server, institutionId, { questions: [select(1, 3), question(2)] });
  root = `/protocols/${made.protocol.id}`;
  form = `${root}/forms/${made.form.id}`;
});

const act = async <T = Form>(path: string, json?: unknown) => successful(await server.post<T>(path, json));

describe('a version', () => {
  it('is made from any form of the protocol, with the next version number', async () => {
    const second = (await act(`${root}/forms/versions`)).body;
    successful(await server.send('DELETE', `${root}/questions/${first(second.questions).id}`));
    const third = (await act(`${root}/forms/versions`, { fromFormId: made.form.id })).body;
    expect(third).toMatchObject({ version: 3, copiedFrom: made.form.id, status: 'DRAFT' });
    expect(content(third)).toEqual({ ...(content(made.form) as object), version: 3 });
    expect((await act(`${root}/forms/versions`)).body).toMatchObject({ version: 4, copiedFrom: third.id });
  });

  it('of a published form is a draft, and leaves the published form published', async () => {
    await act(`${form}/publish`);
    expect((await act(`${root}/forms/versions`)).body).toMatchObject({ version: 2, status: 'DRAFT' });
    expect((await server.get<Form>(form)).body.status).toBe('PUBLISHED');
  });

  it('of an unknown form, or of a form of another protocol, is 400 with the pointer', async () => {
    const other = await createQuestionnaire(server, institutionId);
    for (const fromFormId of [UNKNOWN_ID, other.form.id]) {
      expectRefused(await server.post(`${root}/forms/versions`, { fromFormId }), '/fromFormId not-found');
    }
    await act(`${root}/archive`);
    expectRefused(await server.post(`${root}/forms/versions`, { fromFormId: UNKNOWN_ID }), '/fromFormId not-found');
  });
});

describe('a copy', () => {
  it('is refused with its size if the prompt and the form do not fit into one append, and fits without the long prompt', async () => {
    const texts = { questionText: 'x'.repeat(900), metadata: { help: 'x'.repeat(14_000) } };
    const questions = Array.from({ length: 60 }, (_, index) => question(index + 1, texts));
    const { protocol } = await createQuestionnaire(server, institutionId, { questions });
    const path = `/protocols/${protocol.id}`;
    successful(await server.put(path, { name: protocol.name, prompt: '\u00e9'.repeat(100_000) }));
    const refused = await server.post(`${path}/copies`, { institutionId });
    expectProblem(refused, 409, 'form-too-large');
    expect(refused.body).toMatchObject({ limit: 1_000 * 1_024 });
    successful(await server.put(path, { name: protocol.name, prompt: null }));
    await act(`${path}/copies`, { institutionId });
  });

  const originals = ({ copiedFrom, questions, scoreRanges }: Form) => [
    copiedFrom,
    ...questions.flatMap((each) => [each.copiedFrom, ...each.options.map((option) => option.copiedFrom)]),
    ...scoreRanges.map((range) => range.copiedFrom),
  ];
  const idsOf = ({ id, questions, scoreRanges }: Form) => [
    id,
    ...questions.flatMap((each) => [each.id, ...each.options.map((option) => option.id)]),
    ...scoreRanges.map((range) => range.id),
  ];

  it('is a new protocol with a draft whose items name their originals; the original does not change', async () => {
    await act(`${form}/publish`);
    const other = await createInstitution(server);
    const before = (await server.get(form)).body;
    const made201 = await act<ProtocolAndForm>(`${root}/copies`, { institutionId: other.id });
    const { protocol, form: copy } = made201.body;
    expect([made201.status, made201.headers.get('location')]).toEqual([201, `/protocols/${protocol.id}`]);
    expect([protocol.name, protocol.prompt, protocol.institutionId]).toEqual([
      ...[made.protocol.name, made.protocol.prompt, other.id],
    ]);
    expect(copy).toMatchObject({ version: 1, status: 'DRAFT', protocolId: protocol.id });
    expect(content(copy)).toEqual(content(made.form));
    expect(originals(copy)).toEqual(idsOf(made.form));
    expect((await server.get(`/protocols/${protocol.id}/forms/${copy.id}`)).body).toEqual(copy);
    expect((await server.get(form)).body).toEqual(before);
    expect(await server.recorded(`protocol-${made.protocol.id}`)).toHaveLength(3);
  });

  it('has the requested name and form; without a form, the copy has an empty one', async () => {
    await act(`${root}/forms/versions`);
    const { body } = await act<ProtocolAndForm>(`${root}/copies`, {
      institutionId,
      name: 'Copy',
      formId: made.form.id,
    });
    expect([body.protocol.name, body.form.copiedFrom]).toEqual(['Copy', made.form.id]);
    const bare = await createProtocol(server, institutionId);
    const empty = (await act<ProtocolAndForm>(`/protocols/${bare.id}/copies`, { institutionId })).body;
    expect(empty.form).toMatchObject({ version: 1, copiedFrom: null, questions: [], scoreRanges: [] });
  });

  it('is made once with an Idempotency-Key, and the original does not change', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const copy = () => server.post<ProtocolAndForm>(`${root}/copies`, { institutionId }, headers);
    const once = successful(await copy());
    const changed = successful(await server.put<Protocol>(root, { name: 'Changed meanwhile' })).body;
    const again = await expectNothingStored(server, copy);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([once.body, 'true']);
    expect((await server.get(root)).body).toEqual(changed);
  });

  it('is refused for an unknown institution, form and protocol', async () => {
    expectRefused(await server.post(`${root}/copies`, { institutionId: UNKNOWN_ID }), '/institutionId not-found');
    expectRefused(await server.post(`${root}/copies`, { institutionId, formId: UNKNOWN_ID }), '/formId not-found');
    const unknown = await server.post(`/protocols/${UNKNOWN_ID}/copies`, { institutionId });
    expectProblem(unknown, 404, 'protocol-not-found');
  });
});
