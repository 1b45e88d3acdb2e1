// Tests the console in browsers that lack something: storage, channels, locks, newer functions, or the script itself.
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { pt } from '../../console/src/texts/pt.js';
import { allNewerNames, allowedNames, newerNamesIn } from '../console/newer-names.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { expectAccessible, expectFits } from './support/checks.js';
import { left, loaded, openProfile, sendSignIn, signInAs, waitingProfiles } from './support/steps.js';

const BLOCKED = `{ get() { throw new DOMException('Access is denied', 'SecurityError'); } }`;
const FULL = `() => { throw new DOMException('Quota exceeded', 'QuotaExceededError'); }`;

const ASSETS = new URL('../../dist/console/assets/', import.meta.url);

inBrowser('a browser', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  /** Chooses another language and theme, and goes to the account, without a reload. */
  const choose = async (page: Page) => {
    await page.getByRole('button', { name: en.nav.more }).click();
    await page.getByRole('menuitem', { name: en.nav.themes.dark }).click();
    await page.getByRole('button', { name: en.nav.more }).click();
    await page.getByRole('menuitem', { name: en.nav.languages.pt }).click();
    await page.getByRole('navigation').getByText(pt.nav.account).click();
    await page.getByRole('heading', { level: 1, name: pt.account.titles.profiles }).waitFor();
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
  };

  it.each([
    [
      'refuses storage',
      `for (const each of ['localStorage', 'sessionStorage']) Object.defineProperty(window, each, ${BLOCKED})`,
    ],
    ['has no room', `Storage.prototype.setItem = ${FULL}`],
    [
      'has no storage',
      `for (const each of ['localStorage', 'sessionStorage']) Object.defineProperty(window, each, { value: null })`,
    ],
    ['has no channels and no locks', `delete window.BroadcastChannel; delete Navigator.prototype.locks`],
    [
      'refuses channels and locks',
      `BroadcastChannel = class { constructor() { throw new DOMException('', 'SecurityError'); } };
      Object.defineProperty(Navigator.prototype, 'locks', { value: { request: () => Promise.reject(new DOMException('', 'SecurityError')) } })`,
    ],
  ])('that %s has a sign-in, a language and a theme', async (_, before) => {
    const { page } = await open({ before });
    await signInAs(page, administrator.email);
    await choose(page);
  });

  for (const width of [1_280, 360]) {
    it(`that keeps no cookies says what that means, ${width} px wide`, async () => {
      const { page } = await open({ blocksCookies: true, width });
      await page.goto('/console/sign-in');
      await page.getByText(en.signIn.noCookies).waitFor();
      await expectFits(page);
      await expectAccessible(page);
      await sendSignIn(page, administrator.email);
      await page.getByRole('heading', { level: 1, name: en.service }).waitFor();
      await choose(page);
      await page.reload();
      await page.getByText(en.signIn.noCookies).waitFor();
    });
  }

  it('that keeps cookies says nothing about them', async () => {
    const { page } = await open();
    await page.goto('/console/sign-in');
    await loaded(page);
    expect(await page.getByText(en.signIn.noCookies).count()).toBe(0);
  });

  it('without newer functions has a sign-in that leads back, an account and approvals', async () => {
    const [first, second] = await waitingProfiles(service, administrator, 2);
    if (first === undefined || second === undefined) throw new Error('no profiles');
    const there = `(name) => name.split('.').slice(0, -1).reduce((of, part) => of?.[part], window)`;
    // Nobody can delete these, and their names alone do nothing.
    const names = JSON.stringify(allNewerNames.filter((name) => !name.startsWith('Symbol.')));
    const before = `${names}.forEach((name) => { const of = (${there})(name); if (of) delete of[name.split('.').at(-1)]; })`;
    const { page } = await open({ before });
    await page.goto('/console/account/data');
    const rest = `${names}.filter((name) => name.split('.').at(-1) in ((${there})(name) ?? {}))`;
    expect(await page.evaluate(rest)).toEqual([]);
    await sendSignIn(page, administrator.email);
    await page.waitForURL('**/console/account/data');
    await loaded(page);
    await page.getByRole('navigation', { name: en.nav.label }).getByText(en.nav.approvals).click();
    await page.locator('a.item').first().waitFor();
    await openProfile(page, first);
    await page.getByRole('button', { name: en.approvals.decisions.approve }).click();
    await left(page, first);
  });

  it('gets no newer name but those that a library asks for first', () => {
    const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
    const found = new Set(scripts.flatMap((name) => newerNamesIn(readFileSync(new URL(name, ASSETS), 'utf8'))));
    const allowed = allowedNames.filter(({ where }) => where === 'libraries').map(({ name }) => name);
    expect([...found].sort()).toEqual([...allowed].sort());
  });

  const SCRIPTS = '**/assets/*.js';
  const whole = { contentType: 'text/javascript' };
  const LOSSES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'does not arrive': (page) => page.route(SCRIPTS, (route) => route.abort()),
    'was replaced by another version': (page) =>
      page.route(SCRIPTS, (route) => route.fulfill({ status: 404, body: '{}' })),
    'is the page of a captive portal': (page) =>
      page.route(SCRIPTS, (route) => route.fulfill({ body: '<html>Log in</html>', contentType: 'text/html' })),
    'was cut': (page) => page.route(SCRIPTS, (route) => route.fulfill({ ...whole, body: 'const cut = {' })),
    'is too new for it': (page) =>
      page.route(SCRIPTS, (route) => route.fulfill({ ...whole, body: 'const a = 1 |> 2' })),
  };

  it.each(Object.keys(LOSSES))('whose script %s shows words in both languages', async (name) => {
    for (const width of [1_280, 360]) {
      const { page, expectLostScripts } = await open({ width });
      expectLostScripts();
      await LOSSES[name]?.(page);
      await page.goto('/console/account');
      for (const words of ['needs its script', 'precisa do seu script']) await page.getByText(words).waitFor();
      await expectFits(page);
      await expectAccessible(page);
    }
  });

  it('whose page arrives without its code says that the service cannot be reached', async () => {
    for (const lose of Object.values(LOSSES)) {
      const { page, expectLostScripts } = await open();
      await page.goto('/console/');
      await loaded(page);
      expectLostScripts();
      await lose(page);
      await page.getByRole('main').getByRole('link', { name: en.nav.signIn }).click();
      await page.getByText(en.problems.unreachable[0]).waitFor();
      await page.unroute(SCRIPTS);
      await page.getByRole('button', { name: en.actions.retry }).click();
      await page.getByLabel(en.signIn.email).waitFor();
      expect(await page.locator('.words').count()).toBe(0);
    }
  });
});
