// The steps that several journeys share.
import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { en } from '../../../console/src/texts/en.js';
import { pt } from '../../../console/src/texts/pt.js';
import type { Caller } from '../../http/support/callers.js';
import { doctor, newEmail, successful, type User } from '../../http/support/samples.js';
import { PASSWORD } from '../../http/support/signing-in.js';
import type { Client } from '../../support/client.js';

const either = (name: (texts: typeof en) => string): RegExp =>
  new RegExp(`^(${[en, pt].map((texts) => name(texts).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`);

/** Resolves once a page shows its heading and nothing is on its way. */
export const loaded = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  // A slow page may be loading several parts.
  const loading = page.getByRole('status', { name: either(({ states }) => states.loading) });
  await expect.poll(() => loading.count(), { timeout: 60_000 }).toBe(0);
  await page.waitForLoadState('networkidle');
};

/** Fills the form of the sign-in, and sends it. */
export const sendSignIn = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
  await page.getByLabel(either(({ signIn }) => signIn.email)).fill(email);
  await page.getByLabel(either(({ signIn }) => signIn.password)).fill(password);
  await page
    .locator('form')
    .getByRole('button', { name: either(({ nav }) => nav.signIn) })
    .click();
};

/** Signs in by the form. Resolves once the browser has left the form. */
export const signInAs = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
  if (!page.url().includes('/console/sign-in')) await page.goto('/console/sign-in');
  await sendSignIn(page, email, password);
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
  await loaded(page);
};

/** Changes the own last name, reloads the page, and expects the name to be stored. Begins on the page of the own data. */
export const changeLastName = async (page: Page, name: string): Promise<void> => {
  const field = page.getByLabel(en.person.lastName);
  await field.fill(name);
  await page.getByRole('button', { name: en.actions.save }).first().click();
  await page.getByRole('alert').waitFor();
  await page.reload();
  await loaded(page);
  expect(await field.inputValue()).toBe(name);
};

/** Creates doctors whose profiles wait for a decision. */
export const waitingProfiles = async (service: Client, { authorization }: Caller, count: number) => {
  const made: User['profiles'][number][] = [];
  for (let n = 0; n < count; n += 1) {
    const sent = doctor({ auth: { email: newEmail(), password: PASSWORD } });
    const { body } = successful(await service.post<User>('/users/doctor', sent, authorization));
    made.push(...body.profiles);
  }
  return made;
};

type Profile = User['profiles'][number];

/** Opens the page of a profile as an administrator. */
export const openProfile = async (page: Page, { userId, id }: Profile): Promise<void> => {
  await page.goto(`/console/approvals/${userId}/${id}`);
  await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
  await loaded(page);
};

/** Resolves once a page shows another profile than this, or none. */
export const left = (page: Page, { id }: Profile): Promise<void> =>
  page.waitForURL((url) => !url.pathname.endsWith(id));

export const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.tagName');

/** Returns a function that returns the decisions that a page has sent, once what it began has left the page. */
export const decisionsOf = (page: Page) => {
  const sent: string[] = [];
  page.on('request', (request: Request) => {
    if (request.method() === 'PATCH') sent.push(new URL(request.url()).pathname);
  });
  return async (): Promise<readonly string[]> => {
    await page.evaluate('fetch("/livez").then(() => fetch("/livez"))');
    return sent;
  };
};

/** Returns a promise, and the function that resolves it. */
export const gate = () => {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
};
