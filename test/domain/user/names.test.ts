import { describe, it } from 'vitest';
import { user } from '../../../src/domain/user/user.js';
import { specification } from '../../support/specification.js';
import { person } from './samples.js';

const { sending } = specification(user);

describe('the name of a person', () => {
  it.each(['\u202EasuoS', '\u2066Souza', 'Souza\u{E0041}', 'Sou\u202Aza'])(
    'may not have a character that makes it look like another name: %j',
    (lastName) => {
      sending('RegisterUser', { ...person, lastName, acceptedTerms: true }).isRefusedFor(
        '/lastName misleading-character',
      );
      sending('ReviseUser', { firstName: lastName }).isRefusedFor('/firstName misleading-character');
    },
  );
  it.each(['Gonçalves', 'محمد', '李', 'O’Neill', 'Ana\u200DSouza'])('may be in any script: %s', (lastName) =>
    sending('ReviseUser', { lastName }).isAccepted(),
  );
});
