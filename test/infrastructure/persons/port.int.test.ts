// Sealing wraps every engine in the same way, so one engine proves that the contract holds with sealing.
import { afterAll, expect } from 'vitest';
import { MAX_APPEND_BYTES } from '../../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { factsSuite } from '../facts/facts.suite.js';
import { BoxedFacts, longestWithin } from './support/boxed.js';

const unreadable: string[] = [];
afterAll(() => expect(unreadable).toEqual([]));

factsSuite(
  'SQLite, with every payload sealed',
  () => {
    const [directory, keys] = [temporaryDirectory(), temporaryDirectory()];
    return () => new BoxedFacts(new SqliteFacts(directory), keys, (what) => unreadable.push(what));
  },
  longestWithin(MAX_APPEND_BYTES),
);
