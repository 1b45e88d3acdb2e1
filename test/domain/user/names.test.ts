import { describe, it } from 'vitest';
import { user } from '../../../src/domain/user/user.js';
import { specification } from '../../support/specification.js';
import { person, registered, revisedTo } from '../support/user-samples.js';

const { given, sending } = specification(user);

describe('the name of a person', () => {
  it.each([
    ...['\u202EasuoS', '\u2066Souza', 'Souza\u{E0041}', 'Sou\u202Aza', 'Souza\u200F', '\u061CSouza'],
    ...['S\uFFF9ouza', '\u2800', '\u3164'],
  ])('may not have a character that makes it look like another name: %j', (lastName) => {
    sending('RegisterUser', { ...person, lastName, acceptedTerms: true }).isRefusedFor('/lastName control-character');
    sending('ReviseUser', { firstName: lastName }).isRefusedFor('/firstName control-character');
  });
  it('of before this rule stays as it is when another field changes', () =>
    given(registered, revisedTo({ lastName: 'Souza\u200F', document: '+++' }))
      .when({ type: 'ReviseUser', data: { gender: 'MASCULINE' } })
      .then(revisedTo({ lastName: 'Souza\u200F', document: '+++', gender: 'MASCULINE' })));
  it.each(['Gonçalves', 'محمد', '李', 'O’Neill', 'Ana\u200DSouza'])('may be in any script: %s', (lastName) =>
    sending('ReviseUser', { lastName }).isAccepted(),
  );
});

describe('the document of a person', () => {
  it.each(['+++', '---', '\u0300'])('has a letter or a digit: %s', (document) =>
    sending('ReviseUser', { document }).isRefusedFor('/document blank'),
  );
});
