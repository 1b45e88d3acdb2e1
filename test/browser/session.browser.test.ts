// Tests what a session survives: a reload, a second tab, an end elsewhere, and a service that stops.
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { PASSWORD, type Sessions, sessionsOf, signIn } from '../http/support/signing-in.js';
import { signUp } from '../http/support/signing-up.js';
import { freePort } from '../support/free-port.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { changeLastName, loaded, sendSignIn, signInAs } from './support/steps.js';

// A service that starts again keeps its address.
const port = await freePort();

inBrowser('a session in a browser', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off', PORT: `${port}` });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  it('goes on after a reload and in a second tab, and two tabs may renew at once', async () => {
    const { page, newTab } = await open();
    await signInAs(page, administrator.email);
    const other = await newTab();
    await other.goto('/console/account');
    await loaded(other);
    for (let round = 0; round < 3; round += 1) await Promise.all([page.reload(), other.reload()]);
    await Promise.all([loaded(page), loaded(other)]);
    for (const tab of [page, other]) {
      expect(await tab.getByRole('navigation', { name: en.nav.label }).getByText(en.nav.account).count()).toBe(1);
    }
  });

  it('stores nothing but theme and language in the browser', async () => {
    const { page } = await open();
    await signInAs(page, administrator.email);
    const [local, session, cookie] = await page.evaluate<[string[], string[], string]>(
      '[Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]',
    );
    expect({ session, cookie }).toEqual({ session: [], cookie: '' });
    expect(local.filter((key) => !/^(language|mantine-color-scheme-value)$/.test(key))).toEqual([]);
  });

  it('that was ended elsewhere asks for the password over the page, which keeps what was typed', async () => {
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.goto('/console/account/data');
    await loaded(page);
    const firstName = page.getByLabel(en.person.firstName);
    await firstName.fill('Renamed');
    const { token } = await service
      .post<{ token: string }>('/auth-service/auth', { email: administrator.email, password: PASSWORD })
      .then(({ body }) => body);
    const authorization = { Authorization: `Bearer ${token}` };
    const { items } = (await service.get<Sessions>('/auth-service/sessions', authorization)).body;
    for (const { id, current, appName } of items) {
      if (!current && appName === 'console')
        await service.send('DELETE', `/auth-service/sessions/${id}`, { headers: authorization });
    }
    await page.getByRole('button', { name: en.actions.save }).first().click();
    const dialog = page.getByRole('dialog', { name: en.states.ended });
    await dialog.waitFor();
    await dialog.getByLabel(en.signIn.password, { exact: true }).fill(PASSWORD);
    const email = dialog.getByLabel(en.signIn.email);
    if ((await email.count()) > 0) await email.fill(administrator.email);
    await dialog.getByRole('button', { name: en.nav.signIn }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await firstName.inputValue()).toBe('Renamed');
  });

  it('goes on after a reload over plain http by a host name, where browsers have no Web Locks', async () => {
    const { page, newTab } = await open({ isByHostName: true });
    await signInAs(page, administrator.email);
    expect(await page.evaluate('[isSecureContext, "locks" in navigator]')).toEqual([false, false]);
    const other = await newTab();
    await Promise.all([page.reload(), other.goto('/console/account/data')]);
    await Promise.all([loaded(page), loaded(other)]);
    await changeLastName(other, 'By host name');
  });

  it('asks before a reload in the middle of an edit', async () => {
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.goto('/console/account/data');
    await loaded(page);
    await page.getByLabel(en.person.firstName).fill('Half an edit');
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      const type = dialog.type();
      await dialog.accept();
      return type;
    });
    await page.reload();
    expect(await asked).toBe('beforeunload');
  });

  it('goes on after the service stopped and started again', async () => {
    const { page, expectLostConnections } = await open();
    await signInAs(page, administrator.email);
    expectLostConnections();
    await service.stop();
    await page.getByRole('navigation', { name: en.nav.label }).getByText(en.nav.approvals).click();
    const retry = page.getByRole('button', { name: en.actions.retry });
    await retry.waitFor();
    await service.start();
    await retry.click();
    await page.getByRole('heading', { level: 1, name: en.nav.approvals }).waitFor();
    await loaded(page);
  });

  it('whose sign-in failed at its second step does not stay on the service', async () => {
    const { email } = await signUp(service);
    const { page, expectLostConnections } = await open();
    expectLostConnections();
    let failures = 0;
    await page.route('**/api/update-token', (route) => {
      if (route.request().postData()?.includes('user_id') !== true || failures >= 3) return route.continue();
      failures += 1;
      return failures === 2 ? route.fulfill({ status: 503, body: '' }) : route.abort();
    });
    await page.goto('/console/sign-in');
    for (let round = 1; round <= 3; round += 1) {
      await sendSignIn(page, email, PASSWORD);
      await expect.poll(() => failures).toBe(round);
      await page.locator('form').getByRole('alert').waitFor();
    }
    await signInAs(page, email);
    const { token } = await signIn(service, email);
    const { items } = (await sessionsOf(service, token)).body;
    expect(items.filter(({ appName }) => appName === 'console')).toHaveLength(1);
  });
});
