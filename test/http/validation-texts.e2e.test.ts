// The rules for any value in a body: texts, numbers and keys are stored exactly as they were sent, or refused.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectRefused } from './support/refusals.js';
import { content, createInstitution, createQuestionnaire, type Form, option, question } from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

/** Sends JSON as text, which may be JSON that no serializer would write. */
const sendText = (json: string) => server.send<{ form: Form }>('POST', '/protocols/questionnaires', { bytes: json });
const sendRefused = (json: string) => expectNothingStored(server, () => sendText(json));
/** Returns a questionnaire with one question whose metadata is this JSON text. */
const withMetadata = (metadata: string) =>
  `{"institutionId":"${institutionId}","name":"N","scoreRanges":[],"questions":[{"questionText":"Q","responseType":"TEXT","metadata":${metadata}}]}`;
const AT = '/questions/0/metadata';

describe('a text is stored as it was sent', () => {
  it.each([
    ['emoji with joiners and skin tones', '👩🏽‍⚕️👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['combining marks, composed and decomposed', 'e\u0301 é Å A\u030a ﬁ'],
    ['zero-width characters', 'a\u200bb\u200dc\ufeffd\u2060e'],
    // Names must not change the direction of text.
    ['right-to-left text and its marks', '\u202eשלום\u202c \u200fمرحبا', 'שלום'],
    // Names must not have line ends.
    ['leading, trailing and inner white space', '  \t a \r\n b \u00a0\u2028\u3000 ', '  \t a b \u00a0\u3000 '],
    ['plane 16 and noncharacters', 'x\u{10ffff}\uffff\u{1f9e0}'],
    ['what looks like markup, a path or a query', `<script>"'\\/--;$where{}%00\${x}</script>`],
    ['Thai, Hindi and Korean', 'ผู้ป่วย रोगी 환자 환자'],
  ])('with %s', async (_, text, name = text) => {
    const sent = {
      name,
      prompt: text,
      questions: [
        question(1, {
          questionText: text,
          responseType: 'SELECT',
          metadata: { [text]: [text, { [text]: text }] },
          options: [option(1, { optionText: text })],
        }),
      ],
      scoreRanges: [{ minScore: 0, maxScore: 1, classification: text }],
    };
    const { protocol, form } = await createQuestionnaire(server, institutionId, sent);
    expect([protocol.name, protocol.prompt]).toEqual([name, text]);
    const { questions, scoreRanges } = sent;
    expect(content(form)).toEqual({ version: 1, questions, scoreRanges });
    const read = await server.get<Form>(`/protocols/${protocol.id}/forms/${form.id}`);
    expect(read.body).toEqual(form);
  });
});

describe('a text is refused', () => {
  it.each([
    ['half of a surrogate pair', '"a\\ud83d"', 'lone-surrogate'],
    ['two halves in the wrong order', '"\\ude00\\ud83d"', 'lone-surrogate'],
    ['a null character', '"a\\u0000b"', 'control-character'],
    ['an escape character', '"\\u001b[31m"', 'control-character'],
    ['a backspace', '"a\\b"', 'control-character'],
    ['a delete character', '"\\u007f"', 'control-character'],
    ['a control character of the second block', '"\\u0085"', 'control-character'],
  ])('with %s', async (_, text, code) => {
    expectRefused(await sendRefused(withMetadata(`{"key":[0,${text}]}`)), `${AT}/key/1 ${code}`);
    const name = withMetadata('{}').replace('"N"', text);
    expectRefused(await sendRefused(name), `/name ${code}`);
  });

  it('even if it is a key or in an unknown field', async () => {
    const response = await sendRefused(
      withMetadata('{"a\\u0000/~":1,"b":"\\ud800"}').replace('{', '{"unknown":"\\u0001",'),
    );
    expectRefused(
      response,
      `${AT}/a\u0000~1~0 control-character`,
      `${AT}/b lone-surrogate`,
      '/unknown control-character',
    );
  });
});

describe('a key', () => {
  it('__proto__ is refused at any depth and changes nothing', async () => {
    expectRefused(
      await sendRefused(withMetadata('{"__proto__":{"polluted":true}}')),
      `${AT}/__proto__ key-not-allowed`,
    );
    expectRefused(await sendRefused(withMetadata('{"a":[{"__proto__":1}]}')), `${AT}/a/0/__proto__ key-not-allowed`);
    expectRefused(await sendRefused(withMetadata('{}').replace('{', '{"__proto__":{},')), '/__proto__ key-not-allowed');
    const { body } = await server.post<object>('/institutions', { name: 'After' });
    expect(body).not.toHaveProperty('polluted');
  });

  it('that every JavaScript object has is stored like any other', async () => {
    const metadata = { constructor: 1, toString: 2, hasOwnProperty: { prototype: 3 }, valueOf: null };
    const { body } = await server.post<{ form: Form }>(
      '/protocols/questionnaires',
      JSON.parse(withMetadata(JSON.stringify(metadata))),
    );
    expect(body.form.questions[0]?.metadata).toEqual(metadata);
  });
});

describe('a number', () => {
  it.each([
    ['1e400', '1e400', 'not-finite'],
    ['-1e400', '-1e400', 'not-finite'],
    ['a 1 with 400 zeros', `1${'0'.repeat(400)}`, 'not-finite'],
  ])('that a double cannot hold is refused: %s', async (_, number, code) => {
    expectRefused(await sendRefused(withMetadata(`{"a":{"b":${number}}}`)), `${AT}/a/b ${code}`);
    const weight = withMetadata('{}').replace('"questionText"', `"weight":${number},"questionText"`);
    expectRefused(await sendRefused(weight), `/questions/0/weight ${code}`);
  });

  it.each([
    '9007199254740992',
    '9007199254740994',
    '-9007199254740992',
    '1e22',
    '5e-324',
    '1.7976931348623157e308',
    '0.1',
  ])('that a double can hold is stored: %s', async (number) => {
    const response = await sendText(withMetadata(`{"number":${number}}`));
    expect([response.status, response.body.form.questions[0]?.metadata['number']]).toEqual([201, Number(number)]);
  });

  it.each(['9007199254740993', '999000021000000109', '-12345678901234567'])(
    'that is an integer and that a double would change is refused, in every member: %s',
    async (number) => {
      expectRefused(await sendRefused(withMetadata(`{"snomed":${number}}`)), `${AT}/snomed inexact-number`);
      const ignored = withMetadata('{}').replace('{', `{"ignored":[${number}],`);
      expectRefused(await sendRefused(ignored), '/ignored/0 inexact-number');
    },
  );

  it('in a text is accepted as text', async () => {
    expect((await sendText(withMetadata('{"a":"9007199254740993","b":"1e400"}'))).status).toBe(201);
  });
});

describe('nesting', () => {
  // The metadata of a question is at the fourth level: body, questions, question, metadata.
  const nested = (levels: number, inner = '') => `{"a":${'['.repeat(levels - 4)}${inner}${']'.repeat(levels - 4)}}`;

  it('of 100 levels is accepted', async () => {
    expect((await sendText(withMetadata(nested(100)))).status).toBe(201);
  });

  it('of 101 levels is refused with 400', async () => {
    expectRefused(await sendRefused(withMetadata(nested(101))), `${AT}/a${'/0'.repeat(96)} too-deep`);
  });

  it('of as many levels as a body can hold is refused with 400', async () => {
    const response = await sendRefused(withMetadata(nested(500_000, '12345678901234567890')));
    expectRefused(response, `${AT}/a${'/0'.repeat(96)} too-deep`);
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expectRefused(await sendRefused(withMetadata(objects)), `${AT}${'/a'.repeat(97)} too-deep`);
  });
});
