// What every engine promises of documents that are derived from another document, if one event changes several of them.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Views } from '../../src/infrastructure/views/views.js';
import { foldPage } from '../../src/projections/fold-page.js';
import { at, leased, takenOver, worker } from '../infrastructure/views/support/harness.js';
import { numbers } from '../support/items.js';
import { type Batch, foldingInto } from './support/deliveries.js';
import { expectAllForms, history, questionnaires } from './support/questionnaires.js';
import { log } from './support/recorded.js';

const pagesOf = (size: number): readonly Batch[] =>
  numbers(0, Math.ceil(history.length / size) - 1).map((n) => history.slice(n * size, (n + 1) * size));

/** Declares the tests. `newStore` returns a function that opens a new store, and opens it again after a restart. */
export const fanOutSuite = (newStore: () => () => Views): void => {
  const opener = () => {
    const open = newStore();
    return () => {
      const views = open();
      onTestFinished(() => views.close());
      return views;
    };
  };

  describe('derived documents', () => {
    it.each([1, 2, 3, 8])('are all changed by one event of their source, in pages of %i', async (size) => {
      const views = opener()();
      const { deliver } = await foldingInto(views, questionnaires);
      for (const page of pagesOf(size)) await deliver(page);
      await expectAllForms(views);
    });

    it('are the same if a page comes twice, or again after later pages', async () => {
      const views = opener()();
      const { deliver } = await foldingInto(views, questionnaires);
      const [first = [], second = []] = pagesOf(4);
      for (const page of [first, first, second, second, first, second]) await deliver(page);
      await expectAllForms(views);
    });

    it.each(numbers(1, history.length - 1))('are complete after a restart behind event %i', async (n) => {
      const open = opener();
      const { deliver } = await foldingInto(open(), questionnaires);
      await deliver(history.slice(0, n));
      const views = open();
      await views.prepare(questionnaires);
      await views.release({ projection: 'questionnaires', number: 1, owner: worker });
      await (await foldingInto(views, questionnaires)).deliver(history.slice(n));
      await expectAllForms(views);
    });

    it.each(numbers(0, 4))('are complete if a commit stopped after %i of its writes', async (written) => {
      const views = opener()();
      const { fold } = await foldingInto(views, questionnaires);
      const { lease, writes, position } = await fold(history);
      expect(writes).toHaveLength(4);
      await takenOver(views, lease);
      // A worker that has lost the lease writes documents, if the engine has no transactions, and never the checkpoint.
      expect(await views.commit({ lease, writes: writes.slice(0, written), position })).toBe(false);
      await views.release({ ...lease, owner: 'host/2/other' });
      const { deliver } = await foldingInto(views, questionnaires);
      for (const page of pagesOf(3)) await deliver(page);
      await expectAllForms(views);
    });

    it('cost no read, however many an event changes', async () => {
      const views = opener()();
      await views.prepare(questionnaires);
      const lease = await leased(views, { projection: 'questionnaires', number: 1 });
      const forms = numbers(1, 200).map((n) => ({ type: 'FormAdded', data: { formId: `${n}` } }));
      const events = log('protocol', ...history.slice(0, 1), ...forms, ...history.slice(-1));
      const fold = (page: Batch) =>
        foldPage({ load }, lease, questionnaires, { events: page, position: at(page.length), atEnd: true });
      const loaded: string[] = [];
      const load: Views['load'] = (generation, collection, ids) => {
        loaded.push(...ids.map(() => collection));
        return views.load(generation, collection, ids);
      };
      const { writes } = await fold(events.slice(0, -1));
      await views.commit({ lease, writes, position: at(201) });
      loaded.length = 0;
      expect((await fold(events.slice(-1))).writes).toHaveLength(201);
      expect(loaded).toEqual(['protocolsWithForms']);
    });
  });
};
