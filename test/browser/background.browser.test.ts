// Tests what happens without the reader: a service that stops or is slow, and a read model that has stopped. None of it moves
// the focus, takes a letter, or leads to another page.
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { successful } from '../http/support/samples.js';
import { bearerHeader, PASSWORD, sessionsOf, signIn } from '../http/support/signing-in.js';
import { freePort } from '../support/free-port.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { expectAccessible, expectFits } from './support/checks.js';
import { decisionsOf, focused, gate, left, loaded, openProfile, signInAs, waitingProfiles } from './support/steps.js';

// Every list reads again after this time.
const REFRESHED_MS = 31_000;
const { approve } = en.approvals.decisions;

// A service that starts again keeps its address.
const port = await freePort();

inBrowser('in the background,', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off', PORT: `${port}` });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  /** Opens the first of new waiting profiles as an administrator. */
  const atFirst = async (count = 1) => {
    const [first] = await waitingProfiles(service, administrator, count);
    if (first === undefined) throw new Error('no profile');
    const window = await open();
    await window.page.clock.install();
    await signInAs(window.page, administrator.email);
    await openProfile(window.page, first);
    return { ...window, first, sent: decisionsOf(window.page) };
  };

  /** Ends the sessions of a person in their browsers. */
  const endSessionsOf = async ({ email }: Caller) => {
    const { token } = await signIn(service, email);
    const { items } = (await sessionsOf(service, token)).body;
    for (const { id } of items.filter(({ appName }) => appName === 'console')) {
      successful(await service.send('DELETE', `/auth-service/sessions/${id}`, { headers: bearerHeader(token) }));
    }
  };

  it('a service that stops takes neither the focus nor a letter from who types a reason', async () => {
    const { page, first, sent, expectLostConnections } = await atFirst();
    expectLostConnections();
    const reason = page.getByLabel(en.approvals.reason);
    await reason.click();
    await page.keyboard.type('was a ');
    await service.stop();
    const line = page.getByRole('status').getByText(en.problems.unreachable[0], { exact: false });
    const before = await page.getByRole('button', { name: approve }).boundingBox();
    let typed = 'was a ';
    while (!(await line.isVisible())) {
      await page.keyboard.type('a r ', { delay: 50 });
      typed += 'a r ';
      await page.clock.fastForward(1_000);
    }
    await page.keyboard.type('end');
    expect(await reason.inputValue()).toBe(`${typed}end`);
    expect(await focused(page)).toBe('TEXTAREA');
    const after = await page.getByRole('button', { name: approve }).boundingBox();
    expect(after?.x).toBe(before?.x);
    await expectFits(page);
    await expectAccessible(page);
    await service.start();
    await page.clock.fastForward(REFRESHED_MS);
    await line.waitFor({ state: 'detached', timeout: 60_000 });
    expect(await focused(page)).toBe('TEXTAREA');
    expect(await sent()).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.getByText(en.approvals.chooseFirst).waitFor();
    expect(new URL(page.url()).pathname).toContain(first.id);
  });

  it('a list that cannot be read takes no focus from a field', async () => {
    const { page, first, expectLostConnections } = await atFirst();
    expectLostConnections();
    await page.route('**/institutions?**', (route) => route.abort());
    await page.goto(`/console/approvals/${first.userId}/${first.id}`);
    await page.getByLabel(en.approvals.reason).click();
    await page.getByRole('status').getByText(en.problems.unreachable[0]).waitFor();
    expect(await focused(page)).toBe('TEXTAREA');
  });

  it('a session that ends takes no letter from who types a reason, and the reason stays', async () => {
    const { page } = await atFirst();
    await page.getByLabel(en.approvals.reason).click();
    await page.keyboard.type('was a ');
    await endSessionsOf(administrator);
    await page.clock.fastForward(REFRESHED_MS);
    const dialog = page.getByRole('dialog', { name: en.states.ended });
    await dialog.waitFor();
    await page.keyboard.type('doctor');
    expect(await page.getByLabel(en.approvals.reason).inputValue()).toBe('was a doctor');
    await page.keyboard.press('Tab');
    await dialog.locator(':focus').waitFor();
    await dialog.getByLabel(en.signIn.password, { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel(en.approvals.reason).inputValue()).toBe('was a doctor');
  });

  it('a person that opens late takes no focus from who went on in the list', async () => {
    const { page } = await atFirst(2);
    await page.goto('/console/approvals');
    await loaded(page);
    const answer = gate();
    await page.route(/\/users\/[^/?]+$/, (route) => answer.passed.then(() => route.continue()));
    const items = page.locator('a.item');
    await items.first().press('Enter');
    await items.first().press('ArrowDown');
    answer.open();
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    expect(await page.evaluate('document.activeElement === document.querySelectorAll("a.item")[1]')).toBe(true);
  });

  it('a decision that is answered late leads nobody away from where they are now', async () => {
    const { page, first, sent } = await atFirst(2);
    const answer = gate();
    await page.route('**/approve', (route) => answer.passed.then(() => route.continue()));
    await page.getByRole('button', { name: approve }).click();
    await page.locator('a.item').first().click();
    await left(page, first);
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    const address = page.url();
    answer.open();
    await page.getByText(/ is approved\./).waitFor();
    expect(page.url()).toBe(address);
    expect(await sent()).toEqual([`/users/${first.userId}/profiles/${first.id}/approve`]);
    expect(page.url()).toBe(address);
  });

  it('a list whose read model has stopped is shown as it is, and says so', async () => {
    const { page, first, sent, expectLostConnections } = await atFirst(2);
    expectLostConnections();
    const lags: (object | undefined)[] = [{ seconds: 12 }, undefined];
    let isStopped = true;
    // A long wait, so that the client does not come back for the newest state first.
    const headers = { 'Retry-After': '60' };
    await page.route(/\/profiles\?/, (route) =>
      isStopped && 'consistency-token' in route.request().headers()
        ? route.fulfill({ status: 503, json: { code: 'view-behind', title: '', detail: '', lag: lags[0] }, headers })
        : route.continue(),
    );
    await page.getByRole('button', { name: approve }).click();
    await left(page, first);
    await page.getByRole('status').getByText(en.states.behind(12)).waitFor();
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    expect(await page.locator('a.item').count()).toBeGreaterThan(0);
    await expectFits(page);
    await expectAccessible(page);
    lags.shift();
    await page.clock.fastForward(REFRESHED_MS);
    await page.getByRole('status').getByText(en.states.behind(undefined)).waitFor();
    isStopped = false;
    await page.clock.fastForward(REFRESHED_MS);
    await page.getByRole('status').getByText(en.states.behind(undefined)).waitFor({ state: 'detached' });
    expect(await sent()).toHaveLength(1);
  });
});
