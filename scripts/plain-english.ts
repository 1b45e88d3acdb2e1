// Rejects phrases that the plain-English rewrite removed, each with a suggestion: npm run lint. CONTRIBUTING.md says
// how we write.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

interface Phrase {
  readonly phrase: RegExp;
  /** The suggestion: a better phrase, or advice. */
  readonly instead: string;
}

const PHRASES: readonly Phrase[] = [
  { phrase: /\bwhoever\b/gi, instead: 'name the actor: the caller, everybody who …' },
  { phrase: /\bwho next\b/gi, instead: 'the next caller who …' },
  { phrase: /\bthat one(?=[,.;:)]|$)/gi, instead: 'repeat the noun' },
  { phrase: /\b(?:is|are|was|were) told\b/gi, instead: 'say who reports what: the service reports …' },
  { phrase: /\btold (?:of|by)\b/gi, instead: 'say who reports what: the service reports …' },
  { phrase: /\bhears? of\b/gi, instead: 'called with …, receives …' },
  { phrase: /\bsays of\b/gi, instead: 'shows, reports, describes' },
  { phrase: /\banew\b|\bonce more\b/gi, instead: 'again' },
  { phrase: /\bsave that\b/gi, instead: 'except that' },
  { phrase: /\ball the while\b/gi, instead: 'meanwhile' },
  { phrase: /\b(?:can|cannot|to) be had\b/gi, instead: 'is available, is unavailable' },
  { phrase: /\b(?:is|are|be) away\b(?! from)/gi, instead: 'is unavailable' },
  { phrase: /\b(?:at|in) hand\b/gi, instead: 'available, current' },
  { phrase: /\bany more(?=[,.;:)']|$)/gi, instead: 'no longer' },
  { phrase: /\bfor good\b|\bfor ever\b/gi, instead: 'permanently, forever' },
  { phrase: /\bis none of\b/gi, instead: 'is not one of …, or say what it is' },
  { phrase: /\bnot looked at\b/gi, instead: 'ignored, not checked' },
  { phrase: /\bof one moment\b/gi, instead: 'from the same moment, from one backup' },
  { phrase: /\bwhat becomes of\b/gi, instead: 'the result of' },
  { phrase: /; (?:undefined|false|null|none) where\b/gi, instead: 'undefined if …' },
];

/** Files whose English we cannot change, and files that quote the phrases. */
const EXEMPT =
  /^(?:CONTRIBUTING\.md|scripts\/plain-english\.|test\/repository\/documents\.test|package-lock\.json|test\/releases\/|examples\/|console\/src\/api\/schema\.)/;
const TEXTS = ['*.ts', '*.tsx', '*.mjs', '*.md', '*.sh', '*.yml', '*.html', '*.go', 'Dockerfile', '.ci/run'];

/** Returns a line for each rejected phrase in a text. */
export const phrasesIn = (path: string, text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, at) =>
      PHRASES.flatMap(({ phrase, instead }) =>
        [...line.matchAll(phrase)].map(([found]) => `${path}:${at + 1}: "${found}": ${instead}`),
      ),
    );

if (process.argv[1] === import.meta.filename) {
  const files = execFileSync('git', ['ls-files', '-z', '--', ...TEXTS], { encoding: 'utf8' }).split('\0');
  const own = files.filter((path) => existsSync(path) && !EXEMPT.test(path));
  const found = own.flatMap((path) => phrasesIn(path, readFileSync(path, 'utf8')));
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}
