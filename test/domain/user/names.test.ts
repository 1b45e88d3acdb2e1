import { setImmediate as turn } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { nameText } from '../../../src/domain/fields.js';
import { user } from '../../../src/domain/user/user.js';
import { expectTurns } from '../../support/event-loop.js';
import { specification } from '../../support/specification.js';
import { person, registered, revisedTo } from '../support/user-samples.js';

const { given, sending } = specification(user);

describe('the name of a person', () => {
  it.each([
    ...['\u202EasuoS', '\u2066Souza', 'Souza\u{E0041}', 'Sou\u202Aza', '\u202BSouza\u202C', '\u2067Souza\u2069'],
    ...['S\uFFF9ouza', '\u{1F3F4}\u{E0061}a\u{E0061}', '\u{1F3F4}\u{E0001}'],
    ...['\u2800', '\u3164', '\u{16FE4}', '\u{1D159}', '\u{1107F}', '\u1039', '\u{13441}'],
  ])('may not have a character that makes it look like another name: %j', (lastName) => {
    sending('RegisterUser', { ...person, lastName, acceptedTerms: true }).isRefusedFor('/lastName control-character');
    sending('ReviseUser', { firstName: lastName }).isRefusedFor('/firstName control-character');
  });
  it.each([
    ['\u05DE\u05DC\u05DB\u05D4\u200F', '\u05DE\u05DC\u05DB\u05D4'],
    ['\u061CSou\u200Eza\u200E\u200F', 'Souza'],
    ['\u200F(Souza)\u200F Lima', '(Souza) Lima'],
    ['Sou\uFEFFza\u00AD', 'Sou\uFEFFza\u00AD'],
  ])('loses marks of direction, and nothing else: %j', (lastName, kept) =>
    sending('ReviseUser', { lastName }).isParsedAs({ lastName: kept }),
  );
  it.each(['\u200E', '\u061C\u200F', ' \u200E\t'])('may not consist of marks of direction: %j', (lastName) =>
    sending('ReviseUser', { lastName }).isRefusedFor('/lastName blank'),
  );
  it.each(['\n', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'])('may not have a line end: %j', (end) =>
    sending('ReviseUser', { lastName: `Souza${end}Lima` }).isRefusedFor('/lastName control-character'),
  );
  it('is checked as soon if many tags follow a flag', () =>
    expectTurns(async () => {
      await turn();
      nameText(100_000).safeParse(`\u{1F3F4}${'\u{E0061}'.repeat(20_000)}`);
    }));
  it('of before this rule stays as it is when another field changes', () =>
    given(registered, revisedTo({ lastName: 'Sou\nza\u200F', document: '+++' }))
      .when({ type: 'ReviseUser', data: { gender: 'MASCULINE' } })
      .then(revisedTo({ lastName: 'Sou\nza\u200F', document: '+++', gender: 'MASCULINE' })));
  it.each(['Gonçalves', 'محمد', '李', 'O’Neill', 'Ana\u200DSouza', 'Ana \u{1F3F4}\u{E0067}\u{E0062}\u{E007F}', 'क्षमा'])(
    'may be in any script: %s',
    (lastName) => sending('ReviseUser', { lastName }).isAccepted(),
  );
});

describe('the document of a person', () => {
  it.each(['+++', '---', '\u0300', '\u3164', '\u115F-\u{13441}'])('has a visible letter or a digit: %s', (document) =>
    sending('ReviseUser', { document }).isRefusedFor('/document blank'),
  );
});
