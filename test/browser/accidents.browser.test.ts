// Tests that nobody decides by accident: not with keys that are held, nor with a text that meets no field.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { en } from '../../console/src/texts/en.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { successful, type User } from '../http/support/samples.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { inBrowser, windowsOf } from './support/browser.js';
import { decisionsOf, focused, gate, left, openProfile, signInAs, waitingProfiles } from './support/steps.js';

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
    await expect.poll(() => page.getByRole('button', { name: approve }).isEnabled()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith(first.id));
    expect(await sent()).toHaveLength(2);
  });

  /** Answers each decision with a refusal, after a moment. */
  const refuseDecisions = async (page: Page, status: number) => {
    const json = { code: 'other', title: 'Refused', detail: '' };
    await page.route(/\/(approve|reject)$/, (route) => route.fulfill({ status, json }));
  };

  it.each([
    ['r', 500],
    ['r', 429],
    ['a', 503],
  ] as const)('a reason goes on after %s and a refusal with %i', async (key, status) => {
    const { page, sent, expectLostConnections, first } = await atFirst();
    expectLostConnections();
    await refuseDecisions(page, status);
    await page.keyboard.press(key);
    await page.getByLabel(en.approvals.reason).focus();
    await page.keyboard.type('was ');
    await page.keyboard.press('Control+Enter');
    await page.locator('form').getByRole('alert').first().waitFor();
    await page.keyboard.type('a r');
    expect(await page.getByLabel(en.approvals.reason).inputValue()).toBe('was a r');
    await page.locator('form').getByRole('alert').first().focus();
    await page.keyboard.press(key === 'a' ? 'r' : 'a');
    await page.keyboard.press('Control+Enter');
    const path = `${pathOf(first)}/${key === 'a' ? 'approve' : 'reject'}`;
    await expect.poll(sent).toEqual([path, path]);
  });

  it.each(['a real reason', 'rare'])('the reason "%s" goes on after a hint to choose first', async (text) => {
    const { page, sent } = await atFirst();
    await page.getByLabel(en.approvals.reason).fill('It is ');
    await page.keyboard.press('Control+Enter');
    await page.getByText(en.approvals.chooseFirst).waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
    expect(await page.getByLabel(en.approvals.reason).inputValue()).toBe(`It is ${text}`);
    expect(await sent()).toEqual([]);
  });

  it.each([
    [['r', 'Tab'], 'reject'],
    [['a', 'Tab'], 'approve'],
    [['r', 'Tab', 'Tab'], 'reject'],
  ] as const)('Ctrl+Enter after %j does what the hint says', async (keys, decision) => {
    const { page, first, sent } = await atFirst();
    for (const key of keys) await page.keyboard.press(key);
    await page.getByText(en.approvals.sends[decision]).waitFor();
    await page.keyboard.press('Control+Enter');
    await left(page, first);
    expect(await sent()).toEqual([`${pathOf(first)}/${decision}`]);
  });

  it.each([
    [['r', 'Tab'], 'Enter', 'approve'],
    [['r', 'Tab'], 'Space', 'approve'],
    [['a', 'Tab'], 'Enter', 'reject'],
  ] as const)('after %j, %s on the other button shows that choice before it sends it', async (keys, last, other) => {
    const { page, first, sent } = await atFirst();
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press(last);
    await page.getByText(en.approvals.sends[other]).waitFor();
    expect(await sent()).toEqual([]);
    await page.keyboard.press(last);
    await left(page, first);
    expect(await sent()).toEqual([`${pathOf(first)}/${other}`]);
  });

  it.each([
    ['reject', 'r', 'Enter', 'approve'],
    ['reject', 'r', 'Control+Enter', undefined],
    ['approve', 'a', 'Enter', 'reject'],
  ] as const)('after an earlier %s, %s, Tab and %s send nothing', async (before, key, last, other) => {
    const { page, sent } = await atFirst(1, (first) => decided(first, before));
    await page.keyboard.press(key);
    await page.getByText(en.approvals.already[before]).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press(last);
    await page.getByText(other ? en.approvals.sends[other] : en.approvals.chooseFirst).waitFor();
    expect(await sent()).toEqual([]);
  });

  it.each(['a', 'r'])('what is typed on after %s was accepted asks nothing and chooses for nobody', async (key) => {
    const { page, first, sent } = await atFirst(2);
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    const answer = gate();
    await page.route(/\/(approve|reject)$/, (route) => answer.passed.then(() => route.continue()));
    await page.keyboard.press(key);
    await page.keyboard.press('Control+Enter');
    await page.getByLabel(en.approvals.reason).focus();
    await page.keyboard.type('was ');
    answer.open();
    const gone = left(page, first).then(() => true);
    while (!(await Promise.race([gone, page.keyboard.type('a r ')])));
    await page.getByText(en.approvals.sends.none).waitFor();
    await page.keyboard.type('a r a r');
    expect(questions).toEqual([]);
    expect(await page.getByText(en.approvals.sends.none).isVisible()).toBe(true);
    await expect.poll(() => page.getByRole('button', { name: approve }).isEnabled()).toBe(true);
    await page.keyboard.press('a');
    await page.getByText(en.approvals.sends.approve).waitFor();
    expect(await sent()).toHaveLength(1);
  });

  it.each(['approve', 'reject'] as const)('impatient clicks on %s decide on nobody else', async (decision) => {
    const { page, first, sent } = await atFirst(2);
    const button = page.getByRole('button', { name: en.approvals.decisions[decision] });
    await button.click();
    await left(page, first);
    await page.getByText(en.approvals.sends.none).waitFor();
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
    expect(await button.isEnabled()).toBe(false);
    await page.mouse.click(x + 5, y + 5);
    await page.mouse.click(x + 5, y + 5);
    expect(await sent()).toEqual([`${pathOf(first)}/${decision}`]);
    await button.click();
    await expect.poll(sent).toHaveLength(2);
  });

  it('an impatient click decides nothing on what a conflict has shown', async () => {
    const { page, first, sent } = await atFirst();
    await decided(first, 'approve');
    const { x = 0, y = 0 } = (await page.getByRole('button', { name: approve }).boundingBox()) ?? {};
    await page.mouse.click(x + 5, y + 5);
    await page.getByText(en.approvals.conflictAdvice).waitFor();
    expect(await page.getByRole('button', { name: approve }).count()).toBe(0);
    await page.getByRole('button', { name: reject }).click({ force: true });
    expect(await sent()).toHaveLength(1);
  });
});
