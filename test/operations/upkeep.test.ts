import { expect, it } from 'vitest';
import { startUpkeep } from '../../src/operations/upkeep.js';

it('the upkeep of a version that compares values differently claims them at its first start', async () => {
  const ids: string[] = [];
  const close = async () => undefined;
  const work = { enqueue: async ({ id }: { id: string }) => void ids.push(id), process: () => ({ close }) };
  const upkeep = startUpkeep({ work, outbox: { removeOld: close } } as never, () => undefined);
  await upkeep.close();
  expect(ids.filter((id) => /^reclaim-\d/.test(id))).toHaveLength(2);
  // A version that compared values otherwise may already have had the jobs with these ids today.
  expect(ids.filter((id) => /^reclaim-\d+$/.test(id))).toEqual([]);
});
