// Checks sessions after an outage.
import { expect } from 'vitest';
import { bearerHeader, refresh, type SignIn, sessionsOf } from '../../http/support/signing-in.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';

/** Expects the session to continue with the refresh token that it had before. */
export const expectSessionContinues = async (client: Client, { refreshToken, user }: SignIn): Promise<void> => {
  const renewed = await eventually(async () => {
    const response = await refresh(client, refreshToken);
    expect(response.status).toBe(200);
    return response.body;
  });
  const { items } = (await sessionsOf(client, renewed.token)).body;
  expect(items).toHaveLength(1);
  expect((await client.get(`/users/${user.id}`, bearerHeader(renewed.token))).status).toBe(200);
};
