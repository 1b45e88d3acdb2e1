import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/infrastructure/log.js';
import { watchSealing } from '../../../src/infrastructure/persons/watch.js';
import { createMetrics } from '../../../src/metrics.js';

/** Returns the watch, the lines that it logged and its metrics. */
const watched = () => {
  const lines: { level: string; fields: unknown }[] = [];
  const at = (level: string) => (fields: unknown) => void lines.push({ level, fields });
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log;
  const metrics = createMetrics({ witnesses: [] });
  return { lines, metrics, watch: watchSealing(log, metrics.sealing) };
};

describe('the report of personal fields that cannot be read', () => {
  it('has one line for a person without a key, and counts each event', async () => {
    const { lines, metrics, watch } = watched();
    for (const person of ['one', 'one', 'other', 'one']) watch.withoutKey(person);
    expect(lines).toEqual(['one', 'other'].map((person) => ({ level: 'info', fields: { person } })));
    expect(await metrics.text(new Map())).toMatch(/^personal_events_without_key_total 4$/m);
  });

  it('is an error that names the place of an altered event, but none of its values', async () => {
    const { lines, metrics, watch } = watched();
    const event = { revision: 0, stream: 'user-1', id: 'e1', type: 'UserRevised', data: { firstName: 'Ana' } };
    watch.tampered(event);
    expect(lines).toEqual([{ level: 'error', fields: { stream: 'user-1', event: 'e1', type: 'UserRevised' } }]);
    expect(await metrics.text(new Map())).toMatch(/^personal_events_tampered_total 1$/m);
  });

  it('is an error that names the record of an altered key', () => {
    const { lines, watch } = watched();
    watch.damaged('person-key', 'someone');
    expect(lines).toEqual([{ level: 'error', fields: { kind: 'person-key', key: 'someone' } }]);
  });
});
