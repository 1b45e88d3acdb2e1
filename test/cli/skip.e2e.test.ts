// The operator makes a read model skip an event that it cannot fold, with the built tool beside a running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/health.js';
import type { Position } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { createInstitution, createProtocol, createQuestionnaire, type Protocol } from '../http/samples.js';
import { newEvent, written } from '../infrastructure/facts-harness.js';
import { eventsIn } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';

describe('projections skip', () => {
  const directory = temporaryDirectory();
  const server = new Server(directory);
  const facts = new SqliteFacts(directory);
  let protocol: Protocol;
  let before: Position;
  let bad: Position;

  const skip = (...args: readonly string[]) => runCli(directory, 'projections', 'skip', ...args);
  const readiness = async () => (await server.get<Readiness>('/readyz')).body;
  const decisions = () => eventsIn(facts, ['projection']);

  beforeAll(async () => {
    await server.start();
    protocol = (await createQuestionnaire(server, (await createInstitution(server)).id, { name: 'Before' })).protocol;
    const events = await eventsIn(facts, ['protocol']);
    before = events.at(-1)?.position ?? '';
    const event = { ...newEvent(null), type: 'ProtocolQuestionAdded' };
    bad = written(await facts.append(`protocol-${protocol.id}`, events.length - 1, [event])).position;
    await eventually(async () => expect(await readiness()).toMatchObject({ status: 'degraded' }));
  });
  afterAll(async () => {
    await server.stop();
    await facts.close();
  });

  it.each([
    { what: 'without a reason', args: () => ['protocols', '--position', bad], expected: () => '--reason' },
    {
      what: 'with a blank reason',
      args: () => ['protocols', '--position', bad, '--reason', ' '],
      expected: () => '--reason',
    },
    {
      what: 'without a position',
      args: () => ['protocols', '--reason', 'by hand'],
      expected: () => `--position ${bad}`,
    },
    {
      what: 'at another position',
      args: () => ['protocols', '--position', before, '--reason', 'by hand'],
      expected: () => `stopped before ${bad}`,
    },
    {
      what: 'of a read model that is not stopped',
      args: () => ['institutions', '--position', bad, '--reason', 'by hand'],
      expected: () => 'institutions is not stopped',
    },
    {
      what: 'of an unknown read model',
      args: () => ['unknown-model', '--position', bad, '--reason', 'by hand'],
      expected: () => 'protocols',
    },
    { what: 'with an unknown option', args: () => ['protocols', '--force'], expected: () => '--force' },
    {
      what: 'with a reason that is not in quotes',
      args: () => ['protocols', '--position', bad, '--reason', 'by', 'hand'],
      expected: () => 'quotes',
    },
  ])('is refused $what, and changes nothing', async ({ args, expected }) => {
    const { code, err } = await skip(...args());
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(expected()) });
    expect(err).not.toMatch(/^ +at /m);
    expect(await readiness()).toMatchObject({ status: 'degraded' });
    expect(await decisions()).toEqual([]);
  });

  it('lets the read model continue immediately, and the list of projections shows the skipped event and the reason', async () => {
    const skipped = await skip('protocols', '--position', bad, '--reason', 'written by hand');
    expect(skipped).toMatchObject({ code: 0, err: '' });
    await eventually(async () => expect(await readiness()).toMatchObject({ status: 'ready' }));
    const { out } = await runCli(directory, 'projections', 'list');
    expect(out).toContain(`protocols skips ${bad}, ProtocolQuestionAdded in protocol-${protocol.id}`);
    expect(out).toContain('written by hand');
    expect(out).not.toContain('stopped before');
    expect(await decisions()).toMatchObject([
      {
        type: 'ProjectionEventSkipped',
        data: { position: bad, reason: 'written by hand' },
        metadata: { actor: { id: 'operator' } },
      },
    ]);
  });

  it('leaves the document unchanged with the ETag of its stream, and folds later events', async () => {
    const { revision } = (await eventsIn(facts, ['protocol'])).at(-1) ?? {};
    await eventually(async () => {
      const { body, headers } = await server.get<Protocol>(`/protocols/${protocol.id}`);
      expect(body).toMatchObject({ name: 'Before' });
      expect(headers.get('etag')).toBe(`"${revision}"`);
    });
    await createProtocol(server, protocol.institutionId, { name: 'After' });
    await eventually(async () =>
      expect((await server.get('/protocols')).body).toMatchObject({ items: [{ name: 'Before' }, { name: 'After' }] }),
    );
  });

  it('applies to a rebuild too', async () => {
    const list = (await server.get('/protocols')).body;
    const rebuilt = await runCli(directory, 'projections', 'rebuild', 'protocols');
    expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('is live') });
    expect((await server.get('/protocols')).body).toEqual(list);
    expect(await readiness()).toMatchObject({ status: 'ready' });
  });
});
