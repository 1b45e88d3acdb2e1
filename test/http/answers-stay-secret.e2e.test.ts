// AUTH=required: who may score and analyse, how often, and that the service keeps no answer: in no file, log line or trace.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { profileTypes } from '../../src/domain/user/events.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { LOCK_KIND } from '../../src/infrastructure/vault/vault.js';
import { bytesUnder, foundOf } from '../support/canaries.js';
import { Collector } from '../support/collector.js';
import { eventually } from '../support/eventually.js';
import { nth } from '../support/items.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import {
  createInstitution,
  type ProtocolAndForm,
  question,
  questionnaire,
  select,
  successful,
} from './support/samples.js';

const EXAMPLE = new URL('../../examples/tracing.mjs', import.meta.url).href;
const collector = await Collector.start();
const server = embeddedServiceOfThisFile({
  ...{ AUTH: 'required', RATE_LIMITS: '1', LOG_LEVEL: 'trace' },
  ...{ NODE_OPTIONS: `--import ${EXAMPLE}`, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' },
});

let administrator: Caller;
let nurse: Caller;
let made: ProtocolAndForm;
beforeAll(async () => {
  administrator = await newAdministrator(server);
  nurse = await newCaller(server, administrator, { type: 'NURSE' });
  const { authorization } = administrator;
  const institution = await createInstitution({
    post: (path: string, body: unknown) => server.post(path, body, authorization),
  } as never);
  const questions = [
    ...[select(1, 2), question(2, { required: false })],
    question(3, { responseType: 'NUMBER', required: false, weight: 0 }),
  ];
  const sent = questionnaire(institution.id, {
    questions,
    scoreRanges: [{ minScore: 1, maxScore: 2, classification: 'Any' }],
  });
  made = successful(await server.post<ProtocolAndForm>('/protocols/questionnaires', sent, authorization)).body;
});

const formPath = () => `/protocols/${made.protocol.id}/forms/${made.form.id}`;
const answered = (text?: string, number?: number) => {
  const [choice, remark, measured] = [0, 1, 2].map((place) => nth(made.form.questions, place));
  return [
    { questionId: choice?.id, optionIds: [choice?.options[0]?.id] },
    { questionId: remark?.id, value: text ?? null },
    { questionId: measured?.id, value: number ?? null },
  ];
};
const score = (headers: Record<string, string>, answers: unknown = answered()) =>
  server.post<{ total: number }>(`${formPath()}/score`, { answers }, headers);
const analyse = (headers: Record<string, string>) => server.get(`${formPath()}/analysis`, headers);
const analyseSent = (headers: Record<string, string>) =>
  server.post('/protocols/questionnaires/analysis', { questions: [question(1)], scoreRanges: [] }, headers);
const scoreSent = (headers: Record<string, string>, answers: unknown = [{ questionId: '/questions/0', value: 'a' }]) =>
  server.post<{ total: number }>(
    '/protocols/questionnaires/score',
    {
      questions: [question(1), question(2, { responseType: 'NUMBER', required: false, weight: 0 })],
      scoreRanges: [],
      answers,
    },
    headers,
  );

describe('with AUTH=required', () => {
  it.each(profileTypes)('an approved %s scores and analyses', async (type) => {
    const { authorization } = await newCaller(server, administrator, { type });
    for (const send of [score, analyse, analyseSent, scoreSent]) expect((await send(authorization)).status).toBe(200);
  });

  it('nobody else does', async () => {
    const { authorization } = await newCaller(server, administrator, { type: 'NURSE', approved: false });
    for (const send of [score, analyse, analyseSent, scoreSent]) {
      expectProblem(await send({}), 401, 'sign-in-required');
      expectProblem(await send(authorization), 403, 'not-allowed');
    }
  });

  it('a nurse scores more often than the quota of writes allows', async () => {
    const scored = [];
    // So many requests wait for their turn however slow the machine is.
    for (let round = 0; round < 4; round += 1) {
      scored.push(...(await Promise.all(Array.from({ length: 50 }, () => score(nurse.authorization)))));
    }
    expect(scored.map(({ status, body }) => [status, body.total])).toEqual(scored.map(() => [200, 1]));
    expect(scored.every(({ headers }) => headers.get('ratelimit-policy') === null)).toBe(true);
    for (const send of [analyseSent, scoreSent]) {
      expect((await send(nurse.authorization)).headers.get('ratelimit-policy')).toBeNull();
    }
  });
});

/** Returns the names and versions of the records of the vault, because their values may be sealed. */
const vaultRecords = () => {
  const vault = new Database(join(server.directory, 'vault.sqlite'), { readOnly: true });
  try {
    return vault.prepare<[string], object>('SELECT kind, key, version FROM records WHERE kind <> ?').all(LOCK_KIND);
  } finally {
    vault.close();
  }
};

it('keeps no answer, whether it is scored or refused', async () => {
  const secret = `Patient ${randomUUID()}`;
  const number = 73_519_264_081.25;
  const key = {
    ...nurse.authorization,
    'Idempotency-Key': randomUUID(),
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  };
  const before = vaultRecords();
  for (const headers of [nurse.authorization, key]) {
    const { body } = successful(await score(headers, answered(secret, number)));
    expect(JSON.stringify(body)).not.toContain(secret);
    const faulty = [
      ...answered(secret, number),
      { questionId: nth(made.form.questions, 0).id, value: secret, optionIds: [randomUUID()] },
    ];
    const [text, measured] = [
      { questionId: '/questions/0', value: secret },
      { questionId: '/questions/1', value: number },
    ];
    expect(JSON.stringify(successful(await scoreSent(headers, [text, measured])).body)).not.toContain(secret);
    for (const answers of [
      [{ ...measured, value: secret }],
      [text, { ...text, optionIds: [secret] }],
      [{ ...text, questionId: secret }],
      secret,
    ]) {
      const refused = expectProblem(await scoreSent(headers, answers), 400, 'fields-refused');
      expect(foundOf(Buffer.from(JSON.stringify(refused)), [secret])).toEqual([]);
    }
    for (const answers of [faulty, [...faulty, { questionId: secret, value: secret }], secret]) {
      expect(JSON.stringify(expectProblem(await score(headers, answers), 400, 'fields-refused'))).not.toContain(secret);
    }
    const broken = { bytes: `{"answers":["${secret}`, headers };
    expect(
      JSON.stringify(expectProblem(await server.send('POST', `${formPath()}/score`, broken), 400, 'malformed-json')),
    ).not.toContain(secret);
  }
  await eventually(() => expect(collector.bytes.includes('/score')).toBe(true));
  expect(vaultRecords()).toEqual(before);
  // The files of all stores, with their write-ahead logs.
  const filesOfRunning = bytesUnder(server.directory);
  await server.stop();
  const places = {
    filesOfRunning,
    files: bytesUnder(server.directory),
    log: Buffer.from(JSON.stringify(server.log)),
    traces: collector.bytes,
  };
  expect([places.log.includes('/score'), filesOfRunning.includes(nurse.user.id)]).toEqual([true, true]);
  const values = [secret, secret.slice('Patient '.length), `${number}`];
  for (const [place, bytes] of Object.entries(places)) expect([place, foundOf(bytes, values)]).toEqual([place, []]);
  await server.start();
});
