// Tests what operators see of the witnesses and of the directory of checkpoints.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsedCheckpoint } from '../../src/transparency/checkpoint.js';
import { createSpecialty } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { startWitness } from './witness-servers.js';

const share = join(temporaryDirectory(), 'share');
const server = embeddedServiceOfThisFile({ CHECKPOINT_DIRECTORY: share });

const record = () => createSpecialty(server, { name: `Specialty ${crypto.randomUUID()}` });
const readiness = async () => {
  const { status, body } = await server.get<{ status: string; faults?: readonly { code: string }[] }>('/readyz');
  return [status, body.status, ...(body.faults ?? []).map(({ code }) => code)];
};
const cosignatures = async () =>
  /^audit_log_cosignatures (\S+)$/m.exec((await server.get<string>('/metrics')).body)?.[1];
const size = async () => parsedCheckpoint((await server.get<string>('/audit/log/checkpoint')).body)?.size ?? 0;

describe('a directory of checkpoints that cannot be written', () => {
  it('degrades the service until it can', async () => {
    await record();
    await eventually(async () => expect(await readiness()).toEqual([200, 'degraded', 'audit-directory-unwritable']));
    expect(server.log.filter(({ level }) => level === 50)).toHaveLength(1);
    expect(await size()).toBe(1);
    mkdirSync(share);
    await eventually(async () => expect(await readiness()).toEqual([200, 'ready']));
    expect(readdirSync(share)).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d-localhost_audit_log-1\.checkpoint$/)]);
  });
});

describe('witnesses', () => {
  it('are counted, and degrade the service if they know another log', async () => {
    const [one, two] = [await startWitness('one'), await startWitness('two')];
    await server.restart({ WITNESSES: [one, two].map(({ key, url }) => `${key} ${url}`).join(',') });
    await record();
    await eventually(async () => expect(await cosignatures()).toBe('2'));
    expect(await readiness()).toEqual([200, 'ready']);
    two.respond((response) => response.writeHead(409).end('1000000\n'));
    await record();
    await eventually(async () => expect(await readiness()).toEqual([200, 'degraded', 'audit-witness-contradicts']));
    await eventually(async () => expect(await cosignatures()).toBe('1'));
    const before = await size();
    await record();
    await eventually(async () => expect(await size()).toBe(before + 1));
  });
});
