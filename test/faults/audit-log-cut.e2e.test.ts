// Removes events from the facts while the service runs. The service stops signing, reports it and continues to serve.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const directory = temporaryDirectory();
const server = new Server(directory);
beforeAll(() => server.start());
afterAll(() => server.stop());

const readiness = () => server.get('/readyz');
const stopped = async () => /^audit_log_stopped (\d)$/m.exec((await server.get<string>('/metrics')).body)?.[1];
const checkpoint = async () => (await server.get<string>('/audit/log/checkpoint')).body;

describe('a log that is cut while the service runs', () => {
  it('is not signed until it is whole again, and /readyz, a metric and a line of the log report it', async () => {
    for (const name of ['First', 'Second', 'Third']) await server.post('/specialties', { name });
    const { length } = recordedIn(directory);
    await eventually(async () => expect(await checkpoint()).toContain(`\n${length}\n`));
    const before = await checkpoint();
    expect([await stopped(), (await readiness()).body]).toMatchObject(['0', { status: 'ready' }]);

    const db = new Database(join(directory, 'facts.sqlite'));
    const last = 'position = (SELECT max(position) FROM events)';
    db.exec(`CREATE TABLE aside AS SELECT * FROM events WHERE ${last}; DELETE FROM events WHERE ${last}`);
    await eventually(async () => {
      const { status, body } = await readiness();
      expect([status, body]).toEqual([200, expect.objectContaining({ status: 'degraded' })]);
      expect(body).toMatchObject({ faults: [{ code: 'audit-log-cut', detail: expect.any(String) }] });
    });
    expect(await stopped()).toBe('1');
    expect(server.log.filter(({ level, code }) => level === 50 && code === 'log-cut')).toHaveLength(1);
    expect(await checkpoint()).toBe(before);
    expect((await server.get('/specialties')).status).toBe(200);

    db.exec('INSERT INTO events SELECT * FROM aside; DROP TABLE aside');
    db.close();
    await eventually(async () => expect((await readiness()).body).toMatchObject({ status: 'ready' }));
    await eventually(async () => expect(await stopped()).toBe('0'));
    await server.post('/specialties', { name: 'Fourth' });
    await eventually(async () => expect(await checkpoint()).toContain(`\n${length + 1}\n`));
  });
});
