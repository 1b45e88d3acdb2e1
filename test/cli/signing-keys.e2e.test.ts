// Rotation of the signing keys beside a running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { successful } from '../http/support/samples.js';
import { bearerHeader, refresh, signedInUser } from '../http/support/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { Server } from '../support/server.js';
import { outputOf, refusalOf } from './support/tool.js';

const server = new Server(temporaryDirectory());
beforeAll(() => server.start());
afterAll(() => server.stop());
const kidOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

describe('signing-keys rotate', () => {
  it('makes the running service sign with a new key, and invalidates no token', async () => {
    const { token, refreshToken } = await signedInUser(server);
    const out = await outputOf(server.directory, 'signing-keys', 'rotate');
    const listed = await outputOf(server.directory, 'signing-keys', 'list');
    const [current, before] = [...listed.matchAll(/^(\S{43}) {2}(signs|verifies)$/gm)].map(([, kid]) => kid);
    expect(before).toBe(kidOf(token));
    expect(out).toContain(`${current}`);
    let latest = refreshToken;
    await eventually(async () => {
      const renewed = successful(await refresh(server, latest)).body;
      latest = renewed.refreshToken;
      expect(kidOf(renewed.token)).toBe(current);
    });
    expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(200);
    const { body } = await server.get<{ keys: { kid: string }[] }>('/.well-known/jwks.json');
    expect(body.keys.map(({ kid }) => kid)).toEqual([current, before]);
  });
});

describe('signing-keys revoke', () => {
  it('makes the running service refuse the tokens of a key, and sign with a new key', async () => {
    const { token, refreshToken } = await signedInUser(server);
    await outputOf(server.directory, 'signing-keys', 'revoke', `${kidOf(token)}`);
    await eventually(async () =>
      expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(401),
    );
    await eventually(async () => {
      const renewed = await refresh(server, refreshToken);
      expect(renewed.status).toBe(200);
      expect(kidOf(renewed.body.token)).not.toBe(kidOf(token));
    });
  });

  // An id may begin with a minus sign.
  it.each(['unknown', '-unknown'])('names the unknown key %s, and changes nothing', async (kid) => {
    const before = await outputOf(server.directory, 'signing-keys', 'list');
    expect(await refusalOf(server.directory, 'signing-keys', 'revoke', kid)).toContain(`${kid} does not exist`);
    expect(await outputOf(server.directory, 'signing-keys', 'list')).toBe(before);
  });
});
