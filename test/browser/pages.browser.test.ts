// Tests what every page must be, in both modes of AUTH: accessible in both themes and languages, and usable on 360 px.
import { beforeAll, expect, it } from 'vitest';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { PASSWORD } from '../http/support/signing-in.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { expectAccessible, expectFits } from './support/checks.js';
import { loaded, signInAs, waitingProfiles } from './support/steps.js';

const ANYONE = ['', 'sign-in', 'sign-up', 'activate', 'password', 'no-such-page'];
const ACCOUNT = ['', '/data', '/contact', '/security', '/new-profile'].map((part) => `account${part}`);
const ADMINISTRATOR = ['', 'approvals', 'approvals?tab=changed', 'approvals?tab=decided', ...ACCOUNT];
const SCREENS = [
  { width: 1_280, language: 'en' },
  { width: 360, language: 'pt-BR' },
] as const;

inBrowser('the pages of a service that requires a sign-in', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  let paths: readonly string[];
  beforeAll(async () => {
    administrator = await newAdministrator(service);
    const profiles = await waitingProfiles(service, administrator, 3);
    paths = [...ADMINISTRATOR, ...profiles.slice(0, 1).map(({ userId, id }) => `approvals/${userId}/${id}`)];
  });

  for (const screen of SCREENS) {
    it(`are accessible and fit for anyone, ${screen.width} px wide, in ${screen.language}`, async () => {
      const { page } = await open(screen);
      for (const path of ANYONE) {
        await page.goto(`/console/${path}`);
        await loaded(page);
        await expectFits(page);
        await expectAccessible(page);
      }
    });

    it(`are accessible and fit for an administrator, ${screen.width} px wide, in ${screen.language}`, async () => {
      const { page } = await open(screen);
      await signInAs(page, administrator.email, PASSWORD);
      for (const path of paths) {
        await page.goto(`/console/${path}`);
        await loaded(page);
        await expectFits(page);
        await expectAccessible(page);
      }
    });
  }

  it.each([360, 320])('hide nothing that has the focus under the navigation, %i px wide', async (width) => {
    const { page } = await open({ width });
    await signInAs(page, administrator.email, PASSWORD);
    for (const path of ['account/data', ...paths.slice(-1)]) {
      await page.goto(`/console/${path}`);
      await loaded(page);
      const controls = page.locator('main :is(button, input, textarea, select):visible');
      for (let n = 0; n < (await controls.count()); n += 1) {
        await page.evaluate('scrollTo(0, 0)');
        await controls.nth(n).evaluate((element: { focus(): void }) => element.focus());
        const bar = (await page.locator('.frame > nav').boundingBox())?.y ?? 0;
        const { y = 0, height = 0 } = (await controls.nth(n).boundingBox()) ?? {};
        expect(y + height, `${path} ${n}`).toBeLessThanOrEqual(bar);
      }
    }
  });

  it.each(['.tabs a', 'a.item', 'a.entry'])('mark which %s is open in forced colours, too', async (links) => {
    const { page } = await open();
    await signInAs(page, administrator.email, PASSWORD);
    await page.goto(`/console/${paths.at(-1)}`);
    await loaded(page);
    await page.emulateMedia({ forcedColors: 'active' });
    const colours = await page.evaluate<[open: boolean, colour: string][]>(
      `[...document.querySelectorAll('${links}')].map((link) =>
        [link.hasAttribute('aria-current'), getComputedStyle(link).borderBottomColor])`,
    );
    const of = (isOpen: boolean) => new Set(colours.filter(([each]) => each === isOpen).map(([, colour]) => colour));
    expect([of(true).size, of(false).size]).toEqual([1, 1]);
    expect(of(true)).not.toEqual(of(false));
  });
});

inBrowser('the pages of a service in open mode', () => {
  const service = serverOfThisFile({ AUTH: 'open' });
  const open = windowsOf(service);

  it('say so on each page, and are accessible and fit', async () => {
    const { page } = await open({ width: 360 });
    for (const path of ['', 'approvals', 'account', 'sign-in']) {
      await page.goto(`/console/${path}`);
      await loaded(page);
      expect(await page.getByText('Open mode').count()).toBeGreaterThan(0);
      await expectFits(page);
      await expectAccessible(page);
    }
  });
});
