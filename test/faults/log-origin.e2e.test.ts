// The first signature fixes the name of the audit log. A process that would use another name does not start.
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';

const checkpointOf = (server: Server) =>
  eventually(async () => {
    const { status, body } = await server.get<string>('/audit/log/checkpoint');
    expect(status).toBe(200);
    return body;
  });

describe('the name of the audit log', () => {
  it('does not change after the first signature', async () => {
    const directory = temporaryDirectory();
    const first = new Server(directory, { PUBLIC_URL: 'http://first.example:81' });
    await first.start();
    await first.post('/specialties', { name: 'First' });
    expect(await checkpointOf(first)).toMatch(/^first\.example:81\/audit\/log\n1\n/);
    await first.stop();

    const environment = { DATA_DIR: directory, PORT: '0', PUBLIC_URL: 'http://second.example' };
    const { code, err } = await run('main', { environment });
    expect([code, err]).toEqual([1, expect.stringMatching(/^LOG_ORIGIN: [^\n]*set LOG_ORIGIN=first\.example:81\n$/)]);

    const moved = new Server(directory, { PUBLIC_URL: 'http://second.example', LOG_ORIGIN: 'first.example:81' });
    await moved.start();
    await moved.post('/specialties', { name: 'Second' });
    await eventually(async () => expect(await checkpointOf(moved)).toMatch(/^first\.example:81\/audit\/log\n2\n/));
    await moved.stop();
  });
});
