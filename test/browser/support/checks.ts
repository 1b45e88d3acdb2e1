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

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** An element that a reader can press or fill in. */
interface Target extends Box {
  readonly name: string;
  readonly isFixed: boolean;
}

interface Layout {
  readonly sideways: number;
  readonly cut: readonly string[];
  readonly targets: readonly Target[];
}

// This function runs in the browser, so everything that it uses is inside.
const layoutOf = (): Layout => {
  const nameOf = (element: Element) => {
    const text = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return `${element.tagName.toLowerCase()} ${text.trim().slice(0, 40)}`;
  };
  const styleOf = (element: Element) => getComputedStyle(element);
  const isFixed = (element: Element | null): boolean =>
    element !== null && (styleOf(element).position === 'fixed' || isFixed(element.parentElement));
  const seen = [...document.querySelectorAll('body *')].filter((element) => {
    const { width, height, right } = element.getBoundingClientRect();
    return width > 1 && height > 1 && right > 0 && styleOf(element).visibility !== 'hidden';
  });
  const isCut = (element: Element) =>
    styleOf(element).overflowX !== 'visible' &&
    element.scrollWidth > element.clientWidth + 1 &&
    !element.matches('input');
  // WCAG exempts links inside a sentence.
  const isTarget = (element: Element) =>
    element.matches('a[href], button, input, select, textarea') && styleOf(element).display !== 'inline';
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    sideways: scrollWidth - clientWidth,
    cut: seen.filter(isCut).map(nameOf),
    targets: seen.filter(isTarget).map((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { name: nameOf(element), isFixed: isFixed(element), left, right, top, bottom };
    }),
  };
};

const isApart = (a: Box, b: Box) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
/** Returns whether a box lies inside another one, as the button of a password lies inside its field. */
const isInside = (a: Box, b: Box) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;

/**
 * Rejects if a page scrolls sideways, cuts a text, or has a target that is smaller than 24 px or overlaps another one
 * (WCAG 2.2, 1.4.10 and 2.5.8).
 */
export const expectFits = async (page: Page): Promise<void> => {
  const { sideways, cut, targets } = await page.evaluate(layoutOf);
  const small = targets.filter(({ left, right, top, bottom }) => right - left < 24 || bottom - top < 24);
  const overlapping = targets.flatMap((a, place) =>
    targets
      .slice(place + 1)
      .filter((b) => a.isFixed === b.isFixed && !isApart(a, b) && !isInside(a, b) && !isInside(b, a))
      .map((b) => `${a.name} and ${b.name}`),
  );
  const found = { at: page.url(), sideways, cut, small: small.map(({ name }) => name), overlapping };
  expect(found).toEqual({ at: page.url(), sideways: 0, cut: [], small: [], overlapping: [] });
};
