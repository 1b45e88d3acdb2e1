// Tests the console in networks that are silent, or that respond themselves.
import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { expectAccessible, expectFits } from './support/checks.js';
import { changeLastName, loaded, sendSignIn, signInAs } from './support/steps.js';

const PATIENCE_MS = 20_000;
const [UNREACHABLE] = en.problems.unreachable;

inBrowser('in a network', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  /** Opens the console as somebody who is signed in, with a clock that the test moves. */
  const signedIn = async (width = 1_280) => {
    const window = await open({ width });
    await window.page.clock.install();
    await signInAs(window.page, administrator.email);
    window.expectLostConnections();
    return window;
  };
  /** Keeps a request until the browser ends it. */
  const keep = (page: Page, path: string | RegExp) => {
    const kept: Route[] = [];
    return page.route(path, (route) => void kept.push(route)).then(() => kept);
  };
  const retry = async (page: Page, path: string | RegExp) => {
    await page.unroute(path);
    await page.getByRole('button', { name: en.actions.retry }).click();
    await loaded(page);
  };

  it.each([
    ['the first request', /:\d+\/$/, 'account'],
    ['a renewal', '**/api/update-token', 'account'],
    ['a read', '**/users/*', 'account'],
    ['a list', '**/profiles?*', 'approvals'],
  ])('that is silent on %s, a reader waits for 20 s and tries again', async (_, path, place) => {
    const { page } = await signedIn();
    const kept = await keep(page, path);
    await page.goto(`/console/${place}`);
    await expect.poll(() => kept.length).toBeGreaterThan(0);
    await page.clock.fastForward(PATIENCE_MS - 1_000);
    expect(await page.getByText(UNREACHABLE).count()).toBe(0);
    await page.clock.fastForward(1_000);
    await page.getByText(UNREACHABLE).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await retry(page, path);
    expect(await page.getByText(UNREACHABLE).count()).toBe(0);
  });

  it('that is silent on a change, the change keeps its key and is stored once', async () => {
    const { page } = await signedIn(360);
    await page.goto('/console/account/data');
    await loaded(page);
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') keys.push(request.headers()['idempotency-key']);
    });
    // The service stores the change, and its response is lost.
    await page.route('**/users/*', async (route) =>
      route.request().method() === 'PUT' ? void (await route.fetch()) : route.continue(),
    );
    const field = page.getByLabel(en.person.lastName);
    await field.fill('Typed once');
    const save = page.getByRole('button', { name: en.actions.save });
    await save.click();
    await expect.poll(() => keys.length).toBe(1);
    await page.clock.fastForward(PATIENCE_MS);
    await page.locator('form').getByText(UNREACHABLE).waitFor();
    expect(await field.inputValue()).toBe('Typed once');
    await page.unroute('**/users/*');
    await save.click();
    await page.getByText(en.account.saved([en.person.lastName])).waitFor();
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('whose other tab sleeps while it renews, a tab waits for 20 s and goes on', async () => {
    const { page, newTab } = await signedIn();
    await page.evaluate(`void navigator.locks.request('renewal of the session', () => new Promise(() => {}))`);
    const other = await newTab();
    await other.goto('/console/account');
    await expect
      .poll(() => other.evaluate<number>('navigator.locks.query().then(({ pending }) => pending.length)'))
      .toBe(1);
    await other.clock.fastForward(PATIENCE_MS);
    await other.getByRole('heading', { level: 1, name: en.account.titles.profiles }).waitFor();
    await loaded(other);
  });

  it('that is silent on the code of a page, a reader waits for 20 s and tries again', async () => {
    const { page } = await signedIn();
    const path = '**/assets/approvals-page-*.js';
    const kept = await keep(page, path);
    await page.getByRole('navigation', { name: en.nav.label }).getByText(en.nav.approvals).click();
    await expect.poll(() => kept.length).toBe(1);
    await page.clock.fastForward(PATIENCE_MS);
    await page.getByText(UNREACHABLE).waitFor();
    await retry(page, path);
    await page.getByRole('heading', { level: 1, name: en.approvals.title }).waitFor();
  });

  const portal = { status: 200, contentType: 'text/html', body: '<!doctype html><title>Wi-Fi</title><h1>Log in</h1>' };
  const RESPONSES = [
    ['its own page', portal],
    ['JSON that was cut', { status: 200, contentType: 'application/json', body: '{"items":[{"id":"' }],
    ['nothing', { status: 200, body: '' }],
    ['the page of a proxy', { ...portal, status: 502 }],
  ] as const;

  const respond = (page: Page, path: string | RegExp, response: (typeof RESPONSES)[number][1]) =>
    page.route(path, (route) =>
      route.request().resourceType() === 'document' ? route.continue() : route.fulfill(response),
    );

  it.each(RESPONSES)('that responds with %s, the service cannot be reached', async (_, response) => {
    const { page, expectLostConnections } = await open();
    await signInAs(page, administrator.email);
    expectLostConnections();
    for (const path of [/:\d+\/$/, '**/api/update-token']) {
      await respond(page, path, response);
      await page.goto('/console/account');
      await page.getByText(UNREACHABLE).waitFor();
      expect(await page.getByText(en.states.broken).count()).toBe(0);
      await retry(page, path);
    }
  });

  it('with a captive portal, a list, a sign-in and a change say that the service cannot be reached', async () => {
    const { page, expectLostConnections } = await open({ width: 360 });
    expectLostConnections();
    await page.goto('/console/sign-in');
    await loaded(page);
    await respond(page, '**/auth-service/auth', portal);
    await sendSignIn(page, administrator.email);
    await page.locator('form').getByText(UNREACHABLE).waitFor();
    await page.unroute('**/auth-service/auth');
    await signInAs(page, administrator.email);
    await respond(page, '**/profiles?*', portal);
    await page.goto('/console/approvals');
    await page.getByText(UNREACHABLE).first().waitFor();
    await retry(page, '**/profiles?*');
    await page.goto('/console/account/data');
    await loaded(page);
    await respond(page, '**/users/*', portal);
    await page.getByLabel(en.person.lastName).fill('Typed');
    await page.getByRole('button', { name: en.actions.save }).click();
    await page.locator('form').getByText(UNREACHABLE).waitFor();
    expect(await page.getByText(en.states.broken).count()).toBe(0);
    await page.unroute('**/users/*');
    await changeLastName(page, 'Typed twice');
  });
});
