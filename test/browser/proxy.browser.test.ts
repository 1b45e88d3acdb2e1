// Tests the pages behind a proxy that lets through only what HTTP and the documents name: few methods, the headers that the
// service reads, no body of a GET or DELETE, no part of a body without its length. It holds each response until it is whole.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { loaded, signInAs, waitingProfiles } from './support/steps.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const MAX_ADDRESS = 2_048;
const MAX_HEADERS = 8_192;
/** The headers that pass: those of HTTP that the service reads, and those that docs/contract.md names. */
const PASSED = new Set([
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'authorization',
    'content-length',
    'content-type',
    'cookie',
    'host',
  ],
  ...['if-match', 'if-none-match', 'origin', 'user-agent', 'consistency-token', 'idempotency-key'],
]);

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
    const body = await buffer(incoming);
    const behind = request(new URL(url ?? '/', service.url), { method, headers: passed }, async (response) => {
      const whole = await buffer(response);
      const { connection, 'transfer-encoding': _, ...rest } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, { ...rest, 'content-length': whole.length }).end(whole);
    });
    behind.on('error', () => outgoing.writeHead(502).end());
    behind.end(body);
  };

  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing));
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
    await page.getByText(en.statuses.APPROVED).first().waitFor();
    await page.goto('/console/account/data');
    await loaded(page);
    const lastName = page.getByLabel(en.person.lastName);
    await lastName.fill('Behind a proxy');
    await page.getByRole('button', { name: en.actions.save }).first().click();
    await page.getByRole('alert').waitFor();
    await page.reload();
    await loaded(page);
    expect(await lastName.inputValue()).toBe('Behind a proxy');
    for (const path of ['/console/', '/console/approvals', '/console/account/security', '/docs', '/verifier']) {
      const response = await page.goto(path);
      expect(response?.status(), path).toBe(200);
      await page.getByRole('heading').first().waitFor();
    }
    expect(refused).toEqual([]);
  });
});
