// Tests that nobody decides by accident: not with keys that are held, nor with a text that meets no field.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { successful, type User } from '../http/support/samples.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { decisionsOf, focused, left, openProfile, signInAs, waitingProfiles } from './support/steps.js';

const { approve, reject } = en.approvals.decisions;
type Profile = User['profiles'][number];

/** Presses a key down as a keyboard does that repeats it. */
const hold = async (page: Page, key: string, times = 30): Promise<void> => {
  for (let n = 0; n < times; n += 1) await page.keyboard.down(key);
};

const pathOf = ({ userId, id }: Profile) => `/users/${userId}/profiles/${id}`;

inBrowser('by accident', () => {
  const service = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
  const open = windowsOf(service);
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(service);
  });

  const decided = (profile: Profile, decision: string) =>
    service.patch(`${pathOf(profile)}/${decision}`, {}, administrator.authorization).then(successful);

  /** Opens the first of new waiting profiles as an administrator. */
  const atFirst = async (count = 1, before: (first: Profile) => Promise<unknown> = async () => undefined) => {
    const [first, ...others] = await waitingProfiles(service, administrator, count);
    if (first === undefined) throw new Error('no profile');
    await before(first);
    const window = await open();
    await signInAs(window.page, administrator.email);
    await openProfile(window.page, first);
    return { ...window, first, others, sent: decisionsOf(window.page) };
  };

  for (const key of ['a', 'r']) {
    it(`nobody decides with ${key}, pressed or held`, async () => {
      const { page, sent } = await atFirst(2);
      await hold(page, key);
      await page.keyboard.up(key);
      expect(await focused(page)).toBe(key === 'a' ? 'BUTTON' : 'TEXTAREA');
      expect(await page.getByLabel(en.approvals.reason).inputValue()).toBe('');
      await page.getByText(en.approvals.sends[key === 'a' ? 'approve' : 'reject']).waitFor();
      expect(await sent()).toEqual([]);
    });
  }

  it.each([
    ['Enter', ['a'], 'approve'],
    ['Control+Enter', ['a'], 'approve'],
    ['Control+Enter', ['r'], 'reject'],
    ['Control+Enter', ['a', 'r'], 'reject'],
  ])('a held %s after %j decides only on the person that is shown', async (keys, chosen, decision) => {
    const { page, first, sent } = await atFirst(3);
    for (const key of chosen) await page.keyboard.press(key);
    if (keys.startsWith('Control')) await page.keyboard.down('Control');
    await hold(page, 'Enter', 2);
    await left(page, first);
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    await hold(page, 'Enter');
    await page.keyboard.up('Enter');
    // A bouncing key presses again.
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).pathname).not.toContain(first.id);
    expect(await sent()).toEqual([`${pathOf(first)}/${decision}`]);
  });

  it('a held Enter presses no button again that it has pressed', async () => {
    const { page, first, sent } = await atFirst(2);
    await page.getByRole('button', { name: reject }).focus();
    await hold(page, 'Enter');
    await left(page, first);
    await hold(page, 'Enter');
    expect(await sent()).toEqual([`${pathOf(first)}/reject`]);
  });

  it('the second click of a double click decides on nobody, however fast the next person opens', async () => {
    const { page, first, sent } = await atFirst(2);
    const box = await page.getByRole('button', { name: approve }).boundingBox();
    const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
    await page.mouse.click(x, y);
    await left(page, first);
    await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
    const next = await page.getByRole('button', { name: approve }).boundingBox();
    await page.mouse.move((next?.x ?? 0) + 5, (next?.y ?? 0) + 5);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await sent()).toEqual([`${pathOf(first)}/approve`]);
  });

  it.each(['was a doctor, as a rule', 'a real registration? A rare area, all are approved', 'are  a'])(
    'nobody decides with the text "%s" that meets no field',
    async (text) => {
      const { page, sent } = await atFirst();
      await page.getByRole('heading', { level: 2, name: en.approvals.life }).waitFor();
      await page.keyboard.type(text);
      expect(await focused(page)).toBe('TEXTAREA');
      expect(await sent()).toEqual([]);
    },
  );

  it.each([
    ['reject', ['r'], 'Control+Enter'],
    ['reject', ['a', 'r', 'Space'], 'Control+Enter'],
    ['reject', ['a', 'r'], 'Enter'],
    ['approve', ['a'], 'Control+Enter'],
    ['approve', ['r', 'Tab', 'a'], 'Enter'],
  ] as const)('nobody decides against an earlier %s by %j', async (before, keys, last) => {
    const { page, sent } = await atFirst(1, (first) => decided(first, before));
    for (const key of keys) await page.keyboard.press(key);
    await page.getByText(en.approvals.already[before]).waitFor();
    await page.keyboard.press(last);
    expect(await sent()).toEqual([]);
    expect(await page.getByRole('button', { name: before === 'reject' ? approve : reject }).isEnabled()).toBe(true);
  });

  it('a choice does not outlive the state that it was made for', async () => {
    const { page, first, sent } = await atFirst();
    await decided(first, 'reject');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByText(en.approvals.conflictAdvice).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText(en.approvals.chooseFirst).waitFor();
    expect(await sent()).toHaveLength(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith(first.id));
    expect(await sent()).toHaveLength(2);
  });
});
