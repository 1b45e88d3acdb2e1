// What the facts engine does on its writing connection, in the writer thread.
import type { Database } from '../sqlite/database.js';

/** An append as it crosses to the writer thread: payloads are JSON text already. */
export interface AppendArgument {
  readonly stream: string;
  /** The revision that the stream must be at; -1 where it must not exist. */
  readonly expected: number;
  readonly events: readonly { id: string; type: string; data: string; metadata: string }[];
}

/** The last revision and position of what was written; undefined where the stream is elsewhere. */
export type AppendReply = { readonly revision: number; readonly position: number } | undefined;

/** The operations of the facts engine. */
export type FactsOperations = ReturnType<typeof operationsOf>;

/** Makes the operations of the facts engine. */
export const operationsOf = (db: Database) => {
  const head = db.prepare<[string], number>(
    'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
  );
  const at = db.prepare<[string, number], { id: string; position: number }>(
    'SELECT id, position FROM events WHERE stream = ? AND revision = ?',
  );
  const insert = db.prepare<[string, number, string, string, string, string]>(
    'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)',
  );
  head.pluck();

  // The same append again is recognised by the event ids at the revisions that it would have written.
  const writtenBefore = ({ stream, expected, events }: AppendArgument): AppendReply => {
    const written = events.map(({ id }, index) => {
      const row = at.get(stream, expected + 1 + index);
      return row?.id === id ? row.position : undefined;
    });
    const position = written.at(-1);
    return position === undefined || written.includes(undefined)
      ? undefined
      : { revision: expected + events.length, position };
  };

  const append = (argument: AppendArgument): AppendReply => {
    const { stream, expected, events } = argument;
    if ((head.get(stream) ?? -1) !== expected) return writtenBefore(argument);
    let position = 0;
    let revision = expected;
    for (const { id, type, data, metadata } of events) {
      revision += 1;
      position = Number(insert.run(stream, revision, id, type, data, metadata).lastInsertRowid);
    }
    return { revision, position };
  };

  return { append };
};
