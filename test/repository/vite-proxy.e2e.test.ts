// Runs the proxy of docs/contract.md in Vite: a page of the development server renews with its cookie.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';
import { expect, it } from 'vitest';
import { PASSWORD, signedInUser, type TokenPair } from '../http/support/signing-in.js';
import { Client } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { freePort } from '../support/free-port.js';
import { sharedService } from '../support/service-of-file.js';

const server = sharedService();
const page = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');
const SERVICE = 'http://127.0.0.1:3000';

it('a page behind the documented proxy of Vite signs in and renews with the cookie', async () => {
  const root = temporaryDirectory();
  const [, config = ''] = /```js\n(\/\/ vite\.config\.js\n[\s\S]*?)```/.exec(page) ?? [];
  expect(config).toContain(SERVICE);
  writeFileSync(join(root, 'vite.config.mjs'), config.replace(SERVICE, server.url));
  const port = await freePort();
  const vite = await createServer({ root, logLevel: 'silent', server: { host: '127.0.0.1', port, strictPort: true } });
  await vite.listen();
  try {
    const origin = `http://127.0.0.1:${port}`;
    const browser = new Client(() => origin);
    const { email, token, refreshToken, user } = await signedInUser(server);
    expect((await browser.post('/auth-service/auth', { email, password: PASSWORD })).status).toBe(200);
    const data = { user_id: user.id, token, refresh_token: refreshToken };
    const kept = await browser.post('/api/update-token', { data }, { Origin: origin });
    const Cookie = kept.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; ');
    const byCookie = { url: 'auth-service/refresh-token', data: {} };
    const renewed = await browser.post<TokenPair>('/api/update-token', byCookie, { Origin: origin, Cookie });
    expect(renewed.status).toBe(200);
    const headers = { Authorization: `Bearer ${renewed.body.token}` };
    expect((await browser.get(`/admin-service/users/${user.id}`, headers)).status).toBe(200);
  } finally {
    await vite.close();
  }
});
