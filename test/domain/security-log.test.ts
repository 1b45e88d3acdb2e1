import { describe, expect, it } from 'vitest';
import { securityLog } from '../../src/domain/security-log.js';
import { specification, uuidOf } from '../support/specification.js';

const { given, sending } = specification(securityLog);
const signedIn = { type: 'SignedIn', data: { sessionId: uuidOf(7), platform: 'WEB' } } as const;

describe('the security log of a user', () => {
  it('records every report, also a repeated one', () =>
    given(signedIn).when({ type: 'RecordSignIn', data: signedIn.data }).then(signedIn));

  it('has no state, so a command needs none of the events before it', () => {
    expect(securityLog.evolve).toBeUndefined();
    expect(given(signedIn).state()).toBeNull();
  });

  it('holds only ids and values of fixed lists', () => {
    sending('RecordFailedSignIn', { reason: 'ana@example.org' }).isRefusedFor('/reason invalid_value');
    sending('RecordSignIn', { sessionId: 'ana', platform: 'ana' }).isRefusedFor(
      '/sessionId invalid_format',
      '/platform invalid_value',
    );
    sending('RecordSignOut', { sessionId: 'ana', by: 'ana' }).isRefusedFor(
      '/by invalid_value',
      '/sessionId invalid_format',
    );
    sending('RecordSessionReuse', { sessionId: 'ana' }).isRefusedFor('/sessionId invalid_format');
  });
});
