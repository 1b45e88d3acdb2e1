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

const asLine = ({ target, failureSummary }: Violation['nodes'][number]) => `${target}: ${failureSummary}`;

/** Rejects if axe finds that a page breaks a rule of WCAG 2.2 AA in either theme. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
    const found = await page.evaluate<{ readonly violations: readonly Violation[] }>(`axe.run(document, ${options})`);
    const violations = found.violations.map(({ id, nodes }) => [id, ...nodes.map(asLine)]);
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

// Runs in the browser, so it is plain JavaScript.
const layoutOf = readFileSync(new URL('layout-of.js', import.meta.url), 'utf8');

const isApart = (a: Box, b: Box) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
/** Returns whether a box lies inside another one, as the button of a password lies inside its field. */
const isInside = (a: Box, b: Box) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;

/**
 * Rejects if a page scrolls sideways, cuts a text, or has a target that is smaller than 24 px or overlaps another one
 * (WCAG 2.2, 1.4.10 and 2.5.8).
 */
export const expectFits = async (page: Page): Promise<void> => {
  const { sideways, cut, targets } = await page.evaluate<Layout>(`(${layoutOf.replace(/;\s*$/, '')})()`);
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
