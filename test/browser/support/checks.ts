// What every page must be: accessible in both themes, and usable on a narrow screen.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** Rejects if axe finds that a page breaks a rule of WCAG 2.2 AA in either theme. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(
      async (values) =>
        (
          (await (
            globalThis as unknown as { axe: { run: (...given: unknown[]) => Promise<{ violations: Violation[] }> } }
          ).axe.run(document, { runOnly: { type: 'tag', values } })) as { violations: Violation[] }
        ).violations.map(({ id, nodes }) => [
          id,
          ...nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`),
        ]),
      RULES,
    );
    expect({ colorScheme, at: page.url(), violations }).toEqual({ colorScheme, at: page.url(), violations: [] });
  }
};

/**
 * Rejects if a page scrolls sideways, cuts a text, or has a target that is smaller than 24 px or overlaps another one
 * (WCAG 2.2, 1.4.10 and 2.5.8).
 */
export const expectFits = async (page: Page): Promise<void> => {
  const faults = await page.evaluate(() => {
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} ${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}`;
    const isSeen = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && getComputedStyle(element).visibility !== 'hidden';
    };
    const isInText = (element: Element) => getComputedStyle(element).display === 'inline';
    const isFixed = (element: Element): boolean =>
      getComputedStyle(element).position === 'fixed' ||
      (element.parentElement !== null && isFixed(element.parentElement));
    const all = [...document.querySelectorAll('body *')].filter(isSeen);
    const targets = all.filter((each) => each.matches('a[href], button, input, select, textarea') && !isInText(each));
    const found: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push(`the page scrolls sideways: ${root.scrollWidth} px`);
    for (const each of all) {
      const { overflowX } = getComputedStyle(each);
      if (overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1 && !each.matches('input, .skip'))
        found.push(`${nameOf(each)}: its text is cut`);
    }
    for (const [place, each] of targets.entries()) {
      const a = each.getBoundingClientRect();
      if (a.width < 24 || a.height < 24) found.push(`${nameOf(each)}: ${a.width} by ${a.height} px`);
      for (const other of targets.slice(place + 1)) {
        const b = other.getBoundingClientRect();
        const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        const isWithin = each.contains(other) || other.contains(each) || each.parentElement === other.parentElement;
        if (!isApart && !isWithin && isFixed(each) === isFixed(other))
          found.push(`${nameOf(each)} overlaps ${nameOf(other)}`);
      }
    }
    return found;
  });
  expect({ at: page.url(), faults }).toEqual({ at: page.url(), faults: [] });
};
