import { expect, it } from 'vitest';
import { protocols } from '../../src/projections/protocols.js';
import { foldLargeForm, questionsIn } from './support/large-forms.js';

it('a form of 18 MB is folded and read on SQLite', async () => {
  const { stores } = await foldLargeForm(20);
  await stores.waitUntilCaughtUp(protocols);
  expect(await questionsIn(stores.views)).toBe(20);
});
