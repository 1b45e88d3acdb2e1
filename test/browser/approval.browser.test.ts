// Tests the way of a doctor from sign-up to approval, in two windows: the phone of the doctor and the desk of an
// administrator.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { newEmail, type User } from '../http/support/samples.js';
import { PASSWORD } from '../http/support/signing-in.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { loaded, signInAs, waitingProfiles } from './support/steps.js';

inBrowser('an approval', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  it('of a doctor who signs up on a phone reaches the phone without a reload', async () => {
    const phone = (await open({ width: 360 })).page;
    await phone.goto('/console/sign-up');
    await loaded(phone);
    const email = newEmail();
    await phone.getByLabel(en.person.firstName).fill('Ana');
    await phone.getByLabel(en.person.lastName).fill('Souza');
    await phone.getByLabel(en.timeline.fields.documentDoctor, { exact: true }).fill('123456');
    await phone.getByLabel(en.signIn.email).fill(email);
    await phone.getByLabel(en.signIn.password, { exact: true }).fill(PASSWORD);
    await phone.getByLabel(en.signUp.acceptTerms).check();
    await phone.getByRole('button', { name: en.nav.signUp }).click();
    await phone.waitForURL(/\/console\/(account)?$/);
    await phone.getByText(en.statuses.ANALYSING).first().waitFor();

    const desk = (await open()).page;
    await signInAs(desk, administrator.email);
    await desk.goto('/console/approvals');
    await desk.getByRole('link', { name: /Ana Souza/ }).click();
    await desk.getByRole('button', { name: en.approvals.decisions.approve }).click();
    await phone.getByText(en.statuses.APPROVED).first().waitFor({ timeout: 60_000 });
  });

  it('by two administrators at once tells the slower one what the faster one did, and keeps the reason', async () => {
    const [profile] = await waitingProfiles(service, administrator, 1);
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.goto(`/console/approvals/${profile?.userId}/${profile?.id}`);
    await page.getByLabel(en.approvals.reason).fill('The registration is unknown');
    const path = `/users/${profile?.userId}/profiles/${profile?.id}/approve`;
    await service.patch(path, {}, administrator.authorization);
    await page.getByRole('button', { name: en.approvals.decisions.reject }).click();
    await page.getByText(en.statuses.APPROVED).first().waitFor();
    expect(await page.getByLabel(en.approvals.reason).inputValue()).toBe('The registration is unknown');
  });

  it('is possible with the keyboard alone, and leads on to the next person', async () => {
    const [first, second] = await waitingProfiles(service, administrator, 2);
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.goto(`/console/approvals/${first?.userId}/${first?.id}`);
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('The council has no such number');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(new RegExp(`/approvals/(?!${first?.userId})`));
    await page.goto(`/console/approvals/${second?.userId}/${second?.id}`);
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.includes(second?.userId ?? ''));
    for (const [profile, approvalStatus] of [
      [first, 'REJECTED'],
      [second, 'APPROVED'],
    ] as const) {
      const path = `/users/${profile?.userId}/profiles/${profile?.id}`;
      const { body } = await service.get(path, administrator.authorization);
      expect(body).toMatchObject({ approvalStatus });
    }
  });

  it('sends nothing by Ctrl+Enter before a decision is chosen', async () => {
    const [profile] = await waitingProfiles(service, administrator, 1);
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.goto(`/console/approvals/${profile?.userId}/${profile?.id}`);
    await page.getByLabel(en.approvals.reason).fill('Wait');
    await page.keyboard.press('Control+Enter');
    await page.getByText(en.approvals.chooseFirst).waitFor();
    const path = `/users/${profile?.userId}/profiles/${profile?.id}`;
    const { body } = await service.get(path, administrator.authorization);
    expect(body).toMatchObject({ approvalStatus: 'ANALYSING' });
  });

  it('goes with an attachment to an institution', async () => {
    const name = `Hospital ${randomUUID()}`;
    await service.post('/institutions', { name, unities: [{ name: 'Emergency' }] }, administrator.authorization);
    const [profile] = await waitingProfiles(service, administrator, 1);
    const { page } = await open();
    await signInAs(page, administrator.email);
    await page.goto(`/console/approvals/${profile?.userId}/${profile?.id}`);
    await page.getByLabel(en.approvals.place).selectOption({ label: `${name}, Emergency` });
    await page.getByRole('button', { name: en.approvals.doAttach }).click();
    await page.getByText(`${name}, Emergency`).first().waitFor();
    const { body } = await service.get<User>(`/users/${profile?.userId}`, administrator.authorization);
    expect(body.institutions).toMatchObject([{ name }]);
  });
});
