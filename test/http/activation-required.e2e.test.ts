// ACTIVATION=required: users prove their e-mail address before they sign in.
import { describe, expect, it } from 'vitest';
import { serverOfThisFile } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { createDoctor, doctor, newEmail, successful, UNKNOWN_ID } from './support/samples.js';
import { PASSWORD, trySignIn } from './support/signing-in.js';
import { activate, askForCode, codeFor, messagesTo, newPhone, signUp } from './support/signing-up.js';

const server = serverOfThisFile({ ACTIVATION: 'required' });
const messagesToPhone = (number: string) => server.outbox().filter(({ to }) => to === number);

describe('a code that activates', () => {
  it('goes to the e-mail address of a sign-up, whatever channel the user prefers', async () => {
    const { phone, number } = newPhone();
    const { id, email } = await signUp(server, { phone, dialingCode: '55', notificationProviderType: 'SMS' });
    expectProblem(await trySignIn(server, email), 403, 'activation-required');
    expect(successful(await askForCode(server, id, '&channel=SMS')).body.channel).toBe('EMAIL');
    successful(await activate(server, id, await codeFor(server, email)));
    expect((await trySignIn(server, email)).status).toBe(200);
    expect(messagesToPhone(number)).toEqual([]);
  });

  it('goes to the e-mail address, whatever channel a request names, and the response says so', async () => {
    const { phone, number } = newPhone();
    const auth = { email: newEmail(), password: PASSWORD };
    const { id } = await createDoctor(server, doctor({ auth, phone, dialingCode: '55' }));
    for (const owner of [id, UNKNOWN_ID]) {
      expect(successful(await askForCode(server, owner, '&channel=SMS')).body.channel).toBe('EMAIL');
    }
    const [message] = await messagesTo(server, auth.email);
    expect(message?.channel).toBe('EMAIL');
    expect(messagesToPhone(number)).toEqual([]);
  });
});
