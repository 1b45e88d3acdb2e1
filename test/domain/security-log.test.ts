import { describe, expect, it } from 'vitest';
import { personalPathsOf } from '../../src/domain/personal.js';
import { securityLog, securityLogEvents } from '../../src/domain/security-log.js';
import { specification, uuidOf } from '../support/specification.js';

const { given, sending } = specification(securityLog);
const sessionId = uuidOf(7);
const signedIn = { type: 'SignedIn', data: { sessionId, platform: 'WEB' } } as const;

describe('the security log of a user', () => {
  it('records every report, even a repeated one', () => {
    given().when({ type: 'RecordSignIn', data: signedIn.data }).then(signedIn);
    given(signedIn).when({ type: 'RecordSignIn', data: signedIn.data }).then(signedIn);
    given(signedIn)
      .when({ type: 'RecordFailedSignIn', data: { reason: 'wrong-password' } })
      .then({ type: 'SignInFailed', data: { reason: 'wrong-password' } });
    given(signedIn)
      .when({ type: 'RecordSignOut', data: { sessionId, by: 'sign-out' } })
      .then({ type: 'SignedOut', data: { sessionId, by: 'sign-out' } });
    given(signedIn)
      .when({ type: 'RecordSessionReuse', data: { sessionId } })
      .then({ type: 'SessionReuseDetected', data: { sessionId } });
  });

  it('keeps no events in its state', () =>
    expect(given(signedIn, { type: 'SessionReuseDetected', data: { sessionId } }).state()).toEqual({ status: 'log' }));

  it('holds only ids and values of fixed lists', () => {
    expect([...personalPathsOf(securityLogEvents)]).toEqual([]);
    sending('RecordFailedSignIn', { reason: 'ana@example.org' }).isRefusedFor('/reason invalid_value');
    sending('RecordSignIn', { sessionId: 'ana', platform: 'ana' }).isRefusedFor(
      '/sessionId invalid_format',
      '/platform invalid_value',
    );
  });
});
