// Measures the replay of a log into an empty read model, compared with a plain read of the same log.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { below } from '../lib/below.js';
import { CONNECTIONS, inTurn, sendEach } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { pairRow } from '../lib/rounds.js';
import { anInstitution, post, questionnaireBody } from '../lib/samples.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';

interface Seen {
  readonly events: number;
  readonly perSecond: number;
}

interface Questionnaire {
  readonly protocol: { readonly id: string };
  readonly form: { readonly questions: readonly { readonly id: string }[] };
}

/** Has the service record this many events of protocols and stops it. Nine tenths of the events are edits. */
const record = async (directory: string, events: number): Promise<void> => {
  const server = await startReady(directory);
  const questionnaires = `${server.url}/protocols/questionnaires`;
  const body = questionnaireBody(await anInstitution(server.url));
  const edited = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const { protocol, form } = await post<Questionnaire>(questionnaires, body);
      return form.questions.map(({ id }) => `/protocols/${protocol.id}/questions/${id}`);
    }),
  );
  // Two texts, so that each round of edits changes what the round before it wrote.
  const texts = ['Edited, and about as long as texts are', 'Edited again, and about as long as texts are'];
  const edits = texts.flatMap((questionText) =>
    edited.flat().map((path) => ({ method: 'PUT' as const, path, body: { questionText } })),
  );
  await sendEach(server, inTurn(edits, events * 0.9));
  // A questionnaire is two events.
  await sendEach(server, inTurn([{ method: 'POST', path: '/protocols/questionnaires', body }], events / 20));
  await server.stop();
};

/**
 * Runs a task that goes through the log of a data directory, and writes its own stores to a new directory. Returns how
 * many events it took a second. Rejects if it saw fewer than `events`.
 */
export const perSecond = async (
  task: string,
  dataDirectory: string,
  events: number,
  options: object = {},
): Promise<number> => {
  const freshDirectory = mkdtempSync(`${dataDirectory}-`);
  try {
    const seen = await runTask<Seen>(task, { dataDirectory, freshDirectory, ...options });
    if (seen.events < events) throw new Error(`${task} saw ${seen.events} events, not ${events}`);
    return seen.perSecond;
  } finally {
    rmSync(freshDirectory, { recursive: true });
  }
};

export const replay: Measure = {
  name: 'replay',
  title: 'replay of the log into a read model',
  run: async (bench) => {
    const directory = below(bench, 'product');
    const events = bench.quick ? 10_000 : 100_000;
    await record(directory, events);
    const data = join(directory, 'data');
    const ours = () => perSecond('replay', data, events, { projection: 'protocols' });
    const what = `replay of ${events.toLocaleString('en-GB')} events`;
    const row = { what, unit: 'events/s', target: 'replay', than: 'read + JSON.parse' } as const;
    return [await pairRow(bench, row, { ours, theirs: () => perSecond('read', data, events) })];
  },
};
