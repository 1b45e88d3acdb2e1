import { describe, expect, it } from 'vitest';
import { securityLog, type securityLogCommands } from '../../src/domain/security-log.js';
import { type Sent, specification, uuidOf } from '../support/specification.js';

const { given, sending } = specification(securityLog);
const sessionId = uuidOf(7);
const signedIn = { type: 'SignedIn', data: { sessionId, platform: 'WEB' } } as const;

describe('the security log of a user', () => {
  it.each([
    ['RecordSignIn', signedIn],
    ['RecordFailedSignIn', { type: 'SignInFailed', data: { reason: 'wrong-password' } }],
    ['RecordSignOut', { type: 'SignedOut', data: { sessionId, by: 'sign-out' } }],
    ['RecordSessionReuse', { type: 'SessionReuseDetected', data: { sessionId } }],
  ] as const)('records every report, also a repeated one: %s', (type, event) => {
    const report = { type, data: event.data } as Sent<typeof securityLogCommands>;
    given(signedIn).when(report, report).then(event, event);
  });

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
