// Tests the pages behind a proxy that lets little through: few methods and headers, no body of a GET or DELETE, no body of
// unknown length. The proxy holds each response until it is whole.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import type { User } from '../http/support/samples.js';
import { eventually } from '../support/eventually.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { changeLastName, loaded, signInAs, waitingProfiles } from './support/steps.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const MAX_ADDRESS = 2_048;
const MAX_HEADERS = 8_192;
/** The headers that pass: those of HTTP, and those by which the pages make their requests safe to repeat and to order. */
const PASSED = new Set(
  (
    'accept accept-encoding accept-language authorization consistency-token content-length content-type cookie host ' +
    'idempotency-key if-match if-none-match origin user-agent'
  ).split(' '),
);

const fault = ({ method = '', url = '', headers, rawHeaders }: IncomingMessage): string | undefined => {
  if (!METHODS.includes(method)) return `the method ${method}`;
  if (url.length > MAX_ADDRESS || /[^\x21-\x7e]|\/\/|%2f|%5c|\\/i.test(url)) return `the address ${url}`;
  if (rawHeaders.join('').length > MAX_HEADERS) return `the headers of ${url}`;
  if (headers['transfer-encoding'] !== undefined) return `a body of unknown length to ${url}`;
  const hasBody = Number(headers['content-length'] ?? 0) > 0;
  return hasBody && /^(GET|HEAD|DELETE)$/.test(method) ? `the body of a ${method} of ${url}` : undefined;
};

inBrowser('behind a strict proxy', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const refused: string[] = [];

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const reason = fault(incoming);
    if (reason !== undefined) {
      refused.push(reason);
      outgoing.writeHead(400).end();
      return;
    }
    const { method, url, headers } = incoming;
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => PASSED.has(name)));
    const behind = request(new URL(url ?? '/', service.url), { method, headers: passed });
    behind.end(await buffer(incoming));
    const [response] = (await once(behind, 'response')) as [IncomingMessage];
    const whole = await buffer(response);
    const { connection, 'transfer-encoding': _, ...rest } = response.headers;
    const length = whole.length > 0 ? { 'content-length': whole.length } : {};
    outgoing.writeHead(response.statusCode ?? 502, { ...rest, ...length }).end(whole);
  };

  // A reload cuts what is on its way.
  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()));
  const open = windowsOf({
    get url() {
      return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    },
  });
  let administrator: Caller;
  beforeAll(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    administrator = await newAdministrator(service);
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  it('the pages work as they are', async () => {
    const [profile] = await waitingProfiles(service, administrator, 1);
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.reload();
    await loaded(page);
    await page.goto(`/console/approvals/${profile?.userId}/${profile?.id}`);
    await page.getByRole('button', { name: en.approvals.decisions.approve }).click();
    await eventually(async () => {
      const { body } = await service.get<User>(`/users/${profile?.userId}`, administrator.authorization);
      expect(body.profiles).toMatchObject([{ approvalStatus: 'APPROVED' }]);
    });
    await page.goto('/console/account/data');
    await loaded(page);
    await changeLastName(page, 'Behind a proxy');
    for (const path of ['/console/', '/console/approvals', '/console/account/security']) {
      await page.goto(path);
      await loaded(page);
      expect(await page.getByRole('alert').count(), path).toBe(0);
    }
    for (const path of ['/docs', '/verifier']) {
      expect((await page.goto(path))?.status(), path).toBe(200);
      await page.getByRole('heading').first().waitFor();
    }
    expect(refused).toEqual([]);
  });
});
