// Tests what operators see of the witnesses.
import { describe, expect, it } from 'vitest';
import { parsedCheckpoint } from '../../src/transparency/note.js';
import { createSpecialty } from '../http/support/samples.js';
import { eventually } from '../support/eventually.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { startWitness } from './support/witness-servers.js';

const server = embeddedServiceOfThisFile();

const record = () => createSpecialty(server, { name: `Specialty ${crypto.randomUUID()}` });
const readiness = async () => {
  const { status, body } = await server.get<{ status: string; faults?: readonly { code: string }[] }>('/readyz');
  return [status, body.status, ...(body.faults ?? []).map(({ code }) => code)];
};
const cosignatures = async () =>
  /^audit_log_cosignatures (\S+)$/m.exec((await server.get<string>('/metrics')).body)?.[1];
const size = async () => parsedCheckpoint((await server.get<string>('/audit/log/checkpoint')).body)?.size ?? 0;
const statusOfEntries = async (width: number) => (await server.get(`/audit/log/tile/entries/000.p/${width}`)).status;

describe('witnesses', () => {
  it('are counted, and degrade the service if they know another log', async () => {
    const [one, two] = [await startWitness('one'), await startWitness('two')];
    // A worker asks when it starts, and then once a minute.
    const restart = () => server.restart({ WITNESSES: [one, two].map(({ key, url }) => `${key} ${url}`).join(',') });
    await record();
    await restart();
    await eventually(async () => expect(await cosignatures()).toBe('2'));
    expect(await readiness()).toEqual([200, 'ready']);
    two.respond((response) => response.writeHead(409).end('1000000\n'));
    await record();
    await restart();
    await eventually(async () => expect(await readiness()).toEqual([200, 'degraded', 'audit-witness-contradicts']));
    await eventually(async () => expect(await cosignatures()).toBe('1'));
    const before = await size();
    await record();
    await eventually(async () => expect(await statusOfEntries(before + 1)).toBe(200));
  });
});
