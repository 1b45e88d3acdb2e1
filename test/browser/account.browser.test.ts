// Tests what people do with their own account: codes, passwords, contacts, sessions and rejected profiles.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, decide, newAdministrator } from '../http/support/callers.js';
import { newEmail, type User } from '../http/support/samples.js';
import { PASSWORD, signIn } from '../http/support/signing-in.js';
import { codeFor, codeIn, messagesTo, newPhone, signUp } from '../http/support/signing-up.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { loaded, signInAs } from './support/steps.js';

const NEW_PASSWORD = 'another horse, another staple';

inBrowser('in a browser, a person', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  let person: User & { readonly email: string };
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });
  beforeEach(async () => {
    person = await signUp(service, { profiles: [{ type: 'NURSE', documentDoctor: '123456', specialties: [] }] });
  });

  it('confirms their e-mail with a code', async () => {
    const { page } = await open({ width: 360 });
    await signInAs(page, person.email);
    await page.goto('/console/activate');
    await page.getByLabel(en.codes.code, { exact: true }).fill('000000');
    await page.getByRole('button', { name: en.activate.action }).click();
    await page.getByText(en.problems['code-refused'][0]).waitFor();
    await page.getByLabel(en.codes.code, { exact: true }).fill(await codeFor(service, person.email));
    await page.getByRole('button', { name: en.activate.action }).click();
    await page.getByText(en.activate.done).waitFor();
  });

  it('sets a new password with a code, also after a password that is refused', async () => {
    const { page } = await open();
    await page.goto('/console/password');
    await page.getByLabel(en.signIn.email).fill(person.email);
    await page.getByRole('button', { name: en.codes.send }).click();
    const field = page.getByLabel(en.newPassword.new, { exact: true });
    await field.waitFor();
    const messages = await messagesTo(service, person.email, 2);
    const code = messages.find(({ subject }) => /password|senha/i.test(subject));
    await page.getByLabel(en.codes.code, { exact: true }).fill(code === undefined ? 'none' : codeIn(code));
    await field.fill('password');
    await page.getByRole('button', { name: en.newPassword.action }).click();
    await page.getByText(en.faults.common).waitFor();
    await field.fill(NEW_PASSWORD);
    await page.getByRole('button', { name: en.newPassword.action }).click();
    await page.waitForURL(/\/sign-in/);
    await signInAs(page, person.email, NEW_PASSWORD);
  });

  it('changes their e-mail and their phone, each with its code', async () => {
    const { page } = await open();
    await signInAs(page, person.email);
    await page.goto('/console/account/contact');
    await loaded(page);
    const email = newEmail();
    await page.getByRole('textbox', { name: en.signIn.email, exact: true }).fill(email);
    await page.getByRole('button', { name: en.actions.save }).click();
    await page.getByLabel(en.codes.code, { exact: true }).fill(await codeFor(service, email));
    await page.getByRole('textbox', { name: en.signIn.password, exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: en.account.confirm }).click();
    await page.getByText(en.account.emailChanged(email)).waitFor();

    const { phone, number } = newPhone();
    await page.getByLabel(en.account.newPhone).fill(phone);
    await page.getByRole('button', { name: en.codes.send }).click();
    await page.getByLabel(en.codes.code, { exact: true }).fill(await codeFor(service, number));
    await page.getByRole('button', { name: en.account.confirm }).click();
    await page.getByText(en.account.phoneChanged).waitFor();
  });

  it.each([
    ['+55', '11 91234-5678'],
    ['55', '+55 11 91234-5678'],
    ['+55', '+5511 91234-5678'],
  ])('sees one form of their phone, sent as %s and %s', async (dialingCode, phone) => {
    const { email, id, profiles } = await signUp(service, {
      dialingCode,
      phone,
      profiles: [{ type: 'NURSE', specialties: [] }],
    });
    const { page } = await open({ width: 360 });
    await signInAs(page, email);
    await page.goto('/console/account/contact');
    await page.getByText(en.account.phoneNow('+55 11 91234-5678')).waitFor();
    expect(await page.getByLabel(en.person.dialingCode).inputValue()).toBe('55');
    const desk = (await open()).page;
    await signInAs(desk, administrator.email);
    await desk.goto(`/console/approvals/${id}/${profiles[0]?.id}`);
    await desk.getByText('+55 11 91234-5678', { exact: true }).waitFor();
  });

  it('names specialties with commas, and several at once', async () => {
    const { page } = await open();
    await page.goto('/console/sign-up');
    const field = page.getByRole('combobox', { name: en.timeline.fields.specialties });
    await field.fill(' Ginecologia,   Obstetrícia ');
    await field.press('Enter');
    await field.pressSequentially('Dor;');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = JSON.stringify('Sono; Medicina  do\u00A0Trabalho\nAlergia, Imunologia\r\n');
    await page.evaluate(`navigator.clipboard.writeText(${copied})`);
    await field.press('Control+v');
    // A keyboard on a phone presses no keys.
    await page.keyboard.insertText('Hansenologia; sono ;Acupuntura');
    await page.getByLabel(en.signIn.email).focus();
    expect(await page.locator('.mantine-Pill-label').allTextContents()).toEqual([
      'Ginecologia, Obstetrícia',
      'Dor',
      'Sono',
      'Medicina do Trabalho',
      'Alergia, Imunologia',
      'Hansenologia',
      'Acupuntura',
    ]);
  });

  it('ends another session, and changes the password', async () => {
    await signIn(service, person.email);
    const { page } = await open();
    await signInAs(page, person.email);
    await page.goto('/console/account/security');
    await page.getByRole('button', { name: en.account.end, exact: true }).click();
    await page.getByText(en.account.sessionEnded).waitFor();
    await page.getByRole('button', { name: en.account.end, exact: true }).waitFor({ state: 'detached' });

    await page.getByLabel(en.account.currentPassword, { exact: true }).fill(PASSWORD);
    await page.getByLabel(en.newPassword.new, { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: en.account.changePassword }).click();
    await page.waitForURL(/\/sign-in/);
    await signInAs(page, person.email, NEW_PASSWORD);
  });

  it('reads why a profile was rejected, corrects it and sends it again', async () => {
    const { page } = await open({ width: 360 });
    await signInAs(page, person.email);
    const path = `/users/${person.id}/profiles/${person.profiles[0]?.id}`;
    await service.patch(`${path}/reject`, { reason: 'The council has no such number' }, administrator.authorization);
    await signInAs(page, person.email);
    await page.goto('/console/account');
    await page.getByRole('link', { name: en.account.toReason }).click();
    await page.getByText('The council has no such number').waitFor();
    await page.getByLabel(en.timeline.fields.documentDoctor, { exact: true }).fill('654321');
    await page.getByRole('button', { name: en.account.again }).click();
    await page.getByText(en.account.now.ANALYSING).waitFor();
    const { body } = await service.get<User>(`/users/${person.id}`, administrator.authorization);
    expect(body.profiles[0]).toMatchObject({ documentDoctor: '654321', approvalStatus: 'ANALYSING' });
    await decide(service, administrator, body, 'approve');
    await page.getByText(en.account.now.APPROVED).waitFor({ timeout: 60_000 });
  });
});
