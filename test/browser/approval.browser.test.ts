// Tests the way of a doctor from sign-up to approval, in two windows: the phone of the doctor and the desk of an
// administrator.
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { newEmail } from '../http/support/samples.js';
import { PASSWORD } from '../http/support/signing-in.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { noBrowser, windowsOf } from './support/browser.js';
import { loaded, signInAs, waitingProfiles } from './support/steps.js';

describe.skipIf(noBrowser !== undefined)('an approval', () => {
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
});
