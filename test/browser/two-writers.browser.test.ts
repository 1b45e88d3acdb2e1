// Tests that a person overwrites no change that they have not seen, and that they can go on after a conflict.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { newEmail, successful, type User } from '../http/support/samples.js';
import { signUp } from '../http/support/signing-up.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { gate, loaded, signInAs } from './support/steps.js';

const REFRESHED_MS = 16_000;

inBrowser('of two writers', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  /** Opens a page of the account of a person whose profile waits, so that the page refreshes by itself. */
  const atAccount = async (part: string, before?: (person: User) => Promise<unknown>) => {
    const person = await signUp(service, { profiles: [{ type: 'NURSE', documentDoctor: '123456', specialties: [] }] });
    await before?.(person);
    const { page } = await open();
    await page.clock.install();
    await signInAs(page, person.email);
    await page.goto(`/console/account/${part}`);
    await loaded(page);
    return { page, person };
  };
  const stored = async ({ id }: User) => (await service.get<User>(`/users/${id}`, administrator.authorization)).body;
  /** Changes a person as an administrator does elsewhere. Resolves once the page has read the change. */
  const changedElsewhere = async (page: Page, person: User, body: object) => {
    successful(await service.put(`/users/${person.id}`, body, administrator.authorization));
    const read = page.waitForResponse(
      (each) => each.request().method() === 'GET' && each.url().endsWith(`/users/${person.id}`),
    );
    await page.clock.fastForward(REFRESHED_MS);
    await (await read).finished();
  };

  it.each([
    ['another field', { firstName: 'Corrected' }, { firstName: 'Corrected', lastName: 'Typed' }],
    ['the same field', { lastName: 'Corrected' }, { lastName: 'Typed' }],
    [
      'several fields',
      { firstName: 'Corrected', lastName: 'Too', gender: 'FEMININE' },
      { firstName: 'Corrected', lastName: 'Typed', gender: 'FEMININE' },
    ],
  ])('a person overwrites no newer change of %s of their data unseen', async (_, changed, result) => {
    const { page, person } = await atAccount('data');
    const field = page.getByLabel(en.person.lastName);
    await field.fill('Typed');
    await changedElsewhere(page, person, changed);
    const save = page.getByRole('button', { name: en.actions.save });
    await save.click();
    const conflict = page.getByRole('alert').filter({ hasText: en.account.changedMeanwhile });
    await conflict.getByText(Object.values(changed)[0] ?? '').waitFor();
    expect(await stored(person)).toMatchObject(changed);
    expect(await field.inputValue()).toBe('Typed');
    await save.click();
    await page.getByText(en.account.saved([en.person.lastName])).waitFor();
    expect(await stored(person)).toMatchObject(result);
  });

  it.each([
    ['the same field', en.person.lastName, 'Typed on', { lastName: 'Typed on' }],
    ['another field', en.person.firstName, 'Other', { firstName: 'Other', lastName: 'Typed' }],
  ])('a person who types on in %s while the form is saved conflicts with nobody', async (_, label, typed, result) => {
    const { page, person } = await atAccount('data');
    const answer = gate();
    const put = (url: URL) => url.pathname === `/users/${person.id}`;
    await page.route(put, async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'PUT') await answer.passed;
      await route.fulfill({ response });
    });
    await page.getByLabel(en.person.lastName).fill('Typed');
    await page.keyboard.press('Enter');
    await page.getByLabel(label).fill(typed);
    answer.open();
    await page.getByText(en.account.saved([en.person.lastName])).waitFor();
    expect(await page.getByLabel(label).inputValue()).toBe(typed);
    await page.getByLabel(label).press('Enter');
    await expect.poll(() => stored(person)).toMatchObject(result);
    expect(await page.getByText(en.account.changedMeanwhile).count()).toBe(0);
  });

  it.each([en.person.firstName, en.person.lastName])('a refusal takes no letter from the field "%s"', async (label) => {
    const { page } = await atAccount('data');
    const answer = gate();
    await page.route('**/users/*', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await answer.passed;
      await route.fulfill({ status: 429, json: { code: 'too-many-requests', title: '', detail: '' } });
    });
    await page.getByLabel(label).fill('Typed');
    await page.keyboard.press('Enter');
    answer.open();
    await page.locator('form').getByRole('alert').waitFor();
    await page.keyboard.type(' on');
    expect(await page.getByLabel(label).inputValue()).toBe('Typed on');
  });

  it('a form that nobody has begun to fill in follows a newer state', async () => {
    const { page, person } = await atAccount('data');
    await changedElsewhere(page, person, { lastName: 'Corrected' });
    const field = page.getByLabel(en.person.lastName);
    await expect.poll(() => field.inputValue()).toBe('Corrected');
    await field.fill('Typed');
    await page.getByRole('button', { name: en.actions.save }).click();
    await page.getByText(en.account.saved([en.person.lastName])).waitFor();
  });

  it('a person overwrites no newer e-mail unseen, and keeps the e-mail that they typed', async () => {
    const { page, person } = await atAccount('contact');
    const field = page.getByRole('textbox', { name: en.signIn.email, exact: true });
    const [other, typed] = [newEmail(), newEmail()];
    await field.fill(typed);
    await changedElsewhere(page, person, { email: other });
    expect(await field.inputValue()).toBe(typed);
    const save = page.getByRole('button', { name: en.actions.save });
    await save.click();
    await page.getByRole('alert').getByText(other, { exact: false }).waitFor();
    expect(await stored(person)).toMatchObject({ email: other });
    await save.click();
    await page.getByLabel(en.codes.code, { exact: true }).waitFor();
    expect(await stored(person)).toMatchObject({ email: typed });
  });

  it('a new phone that was typed stays if the phone changes elsewhere', async () => {
    const { page, person } = await atAccount('contact');
    await page.getByLabel(en.account.newPhone).fill('11987654321');
    await changedElsewhere(page, person, { dialingCode: '55', phone: '11912345678' });
    await page.getByText('11912345678', { exact: false }).waitFor();
    expect(await page.getByLabel(en.account.newPhone).inputValue()).toBe('11987654321');
  });

  it('a person adds a profile to a newer state only after they have seen it', async () => {
    const { page, person } = await atAccount('new-profile');
    await page.getByLabel(en.timeline.fields.documentDoctor, { exact: true }).fill('777');
    await changedElsewhere(page, person, { lastName: 'Corrected' });
    await page.getByRole('button', { name: en.account.ask }).click();
    await page.getByRole('alert').getByText('Corrected', { exact: false }).waitFor();
    expect((await stored(person)).profiles).toHaveLength(1);
    await page.getByRole('button', { name: en.account.ask }).click();
    await page.waitForURL(/\/account$/);
    expect((await stored(person)).profiles).toMatchObject([{}, { documentDoctor: '777' }]);
  });

  it('a person sends a rejected profile again as a change of the state that they saw', async () => {
    const rejected = async ({ id, profiles }: User) => {
      const path = `/users/${id}/profiles/${profiles[0]?.id}/reject`;
      successful(await service.patch(path, { reason: 'No' }, administrator.authorization));
      await service.post(`/users/${id}/profiles`, { type: 'NURSE', documentDoctor: '9' }, administrator.authorization);
    };
    const { page, person } = await atAccount('', rejected);
    await page.getByRole('link', { name: en.account.toReason }).click();
    await page.getByLabel(en.timeline.fields.documentDoctor, { exact: true }).fill('777');
    await changedElsewhere(page, person, { lastName: 'Corrected' });
    const again = page.getByRole('button', { name: en.account.again });
    await again.click();
    await page.getByRole('alert').getByText('Corrected', { exact: false }).waitFor();
    await again.click();
    await page.waitForURL(/\/account$/);
    expect((await stored(person)).profiles[0]).toMatchObject({ documentDoctor: '777', approvalStatus: 'ANALYSING' });
  });
});
