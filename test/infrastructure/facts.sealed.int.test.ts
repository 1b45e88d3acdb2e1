// Sealing stands before every engine alike, so one engine proves that the contract holds through it.
import { afterAll, expect } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';
import { factsSuite } from './facts.suite.js';
import { BoxedFacts } from './sealing/boxed.js';

const unread: string[] = [];
afterAll(() => expect(unread).toEqual([]));

factsSuite('SQLite, all of it personal', async () => {
  const [directory, keys] = [temporaryDirectory(), temporaryDirectory()];
  const boxed = () => new BoxedFacts(new SqliteFacts(directory), keys, (what) => unread.push(what));
  const facts = boxed();
  return {
    facts,
    beside: async () => boxed(),
    reopen: async () => {
      await facts.close();
      return boxed();
    },
  };
});
