// Tests the operator's `verify` on EventStoreDB, MongoDB and Redis, or their stand-ins.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInstitution, createQuestionnaire } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { noEngineSet, startEngineSet } from '../support/engine-set.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';
import { faultsOf } from './support/stores-of-moments.js';

const none = noEngineSet();
const verify = (environment: Readonly<Record<string, string>>) => run('cli', { environment, arguments: ['verify'] });

describe('verify on the distributed engines', () => {
  it('finds nothing beside a running service, and finds the facts of another log', async ({ skip }) => {
    if (none !== undefined) skip(none);
    const { environment } = await startEngineSet();
    const server = new Server(temporaryDirectory(), environment);
    await server.start();
    const { id } = await createInstitution(server);
    await createQuestionnaire(server, id);
    await eventually(async () => {
      const folded = expect.stringMatching(/^views +ok: \d+ generations/m);
      expect(await verify(environment)).toMatchObject({ code: 0, err: '', out: folded });
    });
    expect(await server.stop()).toBe(0);
    const { code, out } = await verify(environment);
    expect([code, faultsOf(out)]).toEqual([0, []]);
    expect(out).toMatch(/^streams +ok: 3 events in 2 streams/m);

    const empty = new EventStoreDbServer({ directory: temporaryDirectory() });
    await empty.start();
    onTestFinished(() => empty.stop());
    const other = { ...environment, EVENTSTORE_URL: empty.url };
    expect(faultsOf((await verify(other)).out)).toEqual(['pair', 'views', 'audit-log']);
  }, 120_000);
});
