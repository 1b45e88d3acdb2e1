// ETag, If-Match and If-None-Match (RFC 9110, 13), and the order in which a request is checked.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import type { Protocol, ProtocolAndForm } from './support/samples.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  numbered,
  option,
  question,
  successful,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
let protocol: Protocol;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
// Each test has a protocol at revision 1.
beforeEach(async () => {
  const { id } = await createProtocol(server, institutionId);
  protocol = successful(await server.put<Protocol>(`/protocols/${id}`, { prompt: 'Revised' })).body;
});

const revise = (tag: string, name = 'New') =>
  server.put<Protocol>(`/protocols/${protocol.id}`, { name }, { 'If-Match': tag });
const read = (headers: Record<string, string> = {}) => server.get<Protocol>(`/protocols/${protocol.id}`, headers);
const etagOf = ({ headers }: ClientResponse) => headers.get('etag');

describe('an ETag', () => {
  it('of a form, question or option is the ETag of the protocol, which every change of the protocol raises', async () => {
    const made = await createQuestionnaire(server, institutionId);
    const root = `/protocols/${made.protocol.id}`;
    const { questions } = made.form;
    const responses = [
      await server.get(`${root}/forms/${made.form.id}`),
      await server.post(`${root}/forms/versions`),
      await server.put(`${root}/questions/${first(questions).id}`, { weight: 3 }),
      await server.post(`${root}/questions/${first(questions).id}/options`, option(9)),
      await server.put(`${root}/options/${first(first(questions).options).id}`, { score: 9 }),
      await server.put(root, { name: 'New' }),
      await server.get(`${root}/forms/${made.form.id}`),
    ];
    expect(responses.map(etagOf)).toEqual(['"1"', '"2"', '"3"', '"4"', '"5"', '"6"', '"6"']);
  });
});

describe('If-Match', () => {
  it.each(['"1"', '*', '"7", "1"', '"x" , "1","2"', 'W/"0", "1"', ' "1" '])('of %s matches revision 1', async (tag) => {
    const { status, body } = await revise(tag);
    expect([status, body.name]).toEqual([200, 'New']);
  });

  it.each(['"0"', '"2"', '"0", "2"', 'W/"1"', '"x"', '""', '"01"', '"1 "', '"18446744073709551617"'])(
    'of %s does not match revision 1: 412, and nothing is stored',
    async (tag) => {
      expectProblem(await expectNothingStored(server, () => revise(tag)), 412, 'revision-mismatch');
    },
  );

  it.each(['1', '"1', '1"', '"1" "2"', 'w/"1"', '*, "1"', '"1",', ',', ''])('of %s is malformed: 400', async (tag) => {
    expectRefused(await expectNothingStored(server, () => revise(tag)), 'if-match invalid-format');
  });

  it('also refuses a write that would change nothing', async () => {
    expectProblem(await revise('"0"', protocol.name), 412, 'revision-mismatch');
    expect((await revise('"1"', protocol.name)).status).toBe(200);
  });

  it('lets exactly one of many writers with the same ETag through', async () => {
    const responses = await Promise.all(numbered(20, (n) => revise('"1"', `Writer ${n}`)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...new Array(19).fill(412)]);
    const won = first(responses.filter(({ status }) => status === 200));
    expect((await read()).body).toEqual(won.body);
  });

  it('never matches a resource that the request creates, not even as *', async () => {
    for (const tag of ['*', '"0"']) {
      const create = () => server.post('/protocols', { institutionId, name: 'New' }, { 'If-Match': tag });
      expectProblem(await expectNothingStored(server, create), 412, 'revision-mismatch');
    }
  });
});

describe('If-None-Match', () => {
  it.each(['"1"', 'W/"1"', '"0", "1"', 'W/"5",W/"1"', '*'])(
    'of %s is 304 at revision 1, with the ETag and no body',
    async (tag) => {
      const { status, headers, body } = await read({ 'If-None-Match': tag });
      expect([status, headers.get('etag'), body]).toEqual([304, '"1"', '']);
    },
  );

  it.each(['"0"', '"10"', 'W/"0"', '"x"', '1'])('of %s is 200 at revision 1', async (tag) => {
    expect((await read({ 'If-None-Match': tag })).body).toEqual(protocol);
  });

  it('is honoured for HEAD, for a form, and with asOf', async () => {
    const { protocol: root, form }: ProtocolAndForm = await createQuestionnaire(server, institutionId);
    const headers = { 'If-None-Match': '"1"' };
    const path = `/protocols/${root.id}/forms/${form.id}`;
    expect((await server.send('HEAD', path, { headers })).status).toBe(304);
    expect((await server.get(path, headers)).status).toBe(304);
    await server.post(`${path}/questions`, { questionText: 'New' });
    expect((await server.get(path, headers)).status).toBe(200);
    expect((await server.get(`${path}?asOf=${form.updatedAt}`, headers)).headers.get('etag')).toMatch(/^"[12]"$/);
  });
});

describe('a request is checked in order', () => {
  const wrongType = { 'Content-Type': 'text/plain' };
  const stale = { 'If-Match': '"0"' };
  const tooLarge = `{"name":"${'x'.repeat(2_000_000)}"}`;
  const send = (method: string, path: string, bytes: string, headers: Record<string, string> = {}) =>
    expectNothingStored(server, () => server.send(method, path, { bytes, headers }));

  it('first the route and the method: 404 and 405 come before any problem of the body', async () => {
    expectProblem(await send('POST', '/nothing', '{', wrongType), 404, 'route-not-found');
    expectProblem(await send('DELETE', '/protocols/x', tooLarge, wrongType), 405, 'method-not-allowed');
  });

  it('then the media type and the size: 415 and 413 come before 400', async () => {
    expectProblem(await send('PUT', '/protocols/x', '{', wrongType), 415, 'unsupported-media-type');
    expectProblem(await send('PUT', '/protocols/x', tooLarge), 413, 'too-large');
  });

  it('then the fields: 400 comes before 404, 409 and 412', async () => {
    expectRefused(await send('PUT', `/protocols/${UNKNOWN_ID}`, '{"name":""}', stale), '/name blank');
    expectRefused(await send('POST', '/protocols', `{"institutionId":"${UNKNOWN_ID}"}`, stale), '/name required');
  });

  it('then references and state: 400, 404 and 409 come before 412', async () => {
    const { protocol: root, form } = await createQuestionnaire(server, institutionId, { questions: [question(1)] });
    const item = first(form.questions);
    const unknown = JSON.stringify({ institutionId: UNKNOWN_ID, name: 'New' });
    expectRefused(await send('POST', '/protocols', unknown, stale), '/institutionId not-found');
    expectProblem(await send('PUT', `/protocols/${UNKNOWN_ID}`, '{"name":"New"}', stale), 404, 'protocol-not-found');
    const options = `/protocols/${root.id}/questions/${item.id}/options`;
    expectProblem(await send('POST', options, '{"optionText":"A","score":1}', stale), 409, 'options-not-taken');
    const questionnaire = JSON.stringify({ formId: UNKNOWN_ID, questions: [question(1)], scoreRanges: [] });
    const replaced = await send('PUT', `/protocols/${root.id}/questionnaire`, questionnaire, stale);
    expectRefused(replaced, '/formId not-found');
  });
});
