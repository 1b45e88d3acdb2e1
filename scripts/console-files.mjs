// Prepares what Vite made of console/ for the service: compresses every file, and measures the script that a browser loads
// before it shows the first page. Ends with an error if that is too much.
// Plain JavaScript, because `npm start` may call it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordBuilt } from './builds.mjs';
import { compress } from './compressed.mjs';

const BUILT = 'dist/console';
const ASSETS = join(BUILT, 'assets');
const MAX_BYTES = 230_000;

const sizes = new Map(readdirSync(ASSETS).map((name) => [name, compress(join(ASSETS, name))]));

const STATIC = /(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g;
const LAZY = /\bimport\(\s*["'`]\.\/([\w.-]+\.js)["'`]\s*\)/g;
const namesIn = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);
const textOf = (name) => readFileSync(join(ASSETS, name), 'utf8');

/** Returns scripts with everything that they import, except what they import when a page is visited. */
const withImports = (names, known = new Set()) => {
  for (const name of names) if (!known.has(name)) withImports(namesIn(textOf(name), STATIC), known.add(name));
  return known;
};
const bytesOf = (names) => [...names].reduce((bytes, name) => bytes + sizes.get(name), 0);

const html = readFileSync(join(BUILT, 'index.html'), 'utf8');
// The entry, and what the HTML preloads.
const first = withImports(namesIn(html, /(?:src|href)="[^"]*\/assets\/([\w.-]+\.js)"/g));
const pages = [...first].flatMap((name) => namesIn(textOf(name), LAZY));
const largest = Math.max(...pages.map((page) => bytesOf(withImports([page], new Set(first)))), bytesOf(first));

const inKb = (bytes) => `${(bytes / 1_000).toFixed(1)} KB`;
// Not on standard output, where `npm start` writes the log.
console.error(
  `Console: ${inKb(bytesOf(first))} of gzipped script before the first page (at most ${inKb(MAX_BYTES)}), ` +
    `${inKb(largest)} with the largest page`,
);
if (first.size === 0 || bytesOf(first) > MAX_BYTES) {
  console.error('Load more of it when a page is visited, or find a smaller package.');
  process.exit(1);
}
// The service serves the web client only after this.
recordBuilt('console');
