// Tests that the linter reports the phrases on its list.
import { expect, it } from 'vitest';
import { phrasesIn } from '../../scripts/plain-english.js';

it('reports a phrase with its file, its line and a suggestion', () =>
  expect(phrasesIn('src/a.ts', '// Returns the user.\n// Whoever calls this waits.')).toEqual([
    'src/a.ts:2: "Whoever": name the actor: the caller, everybody who …',
  ]));

it('reports every phrase of a line', () =>
  expect(phrasesIn('docs/a.md', 'The worker is told, and reads the stream once more.')).toHaveLength(2));

it.each([
  'Returns the stream of a user; undefined if the user does not exist.',
  'The service no longer accepts the token. The caller signs in again.',
  'Does the queue hold any more jobs than that?',
  'It retold the story, and that one event stays.',
])('reports nothing in "%s"', (text) => expect(phrasesIn('docs/a.md', text)).toEqual([]));
