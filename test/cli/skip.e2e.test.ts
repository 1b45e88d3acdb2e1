// The operator has a read model leave out an event that it cannot fold: the built tool beside a running service.
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

  const skip = (...given: readonly string[]) => runCli(directory, 'projections', 'skip', ...given);
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
    { what: 'without a reason', given: () => ['protocols', '--position', bad], says: () => '--reason' },
    {
      what: 'with a blank reason',
      given: () => ['protocols', '--position', bad, '--reason', ' '],
      says: () => '--reason',
    },
    { what: 'without a position', given: () => ['protocols', '--reason', 'by hand'], says: () => `--position ${bad}` },
    {
      what: 'at another position',
      given: () => ['protocols', '--position', before, '--reason', 'by hand'],
      says: () => `stopped before ${bad}`,
    },
    {
      what: 'of a read model that is not stopped',
      given: () => ['institutions', '--position', bad, '--reason', 'by hand'],
      says: () => 'institutions is not stopped',
    },
    {
      what: 'of a read model that there is not',
      given: () => ['unheard-of', '--position', bad, '--reason', 'by hand'],
      says: () => 'protocols',
    },
    { what: 'with a word that means nothing', given: () => ['protocols', '--force'], says: () => '--force' },
    {
      what: 'with a reason that is not in quotes',
      given: () => ['protocols', '--position', bad, '--reason', 'by', 'hand'],
      says: () => 'quotes',
    },
  ])('is refused $what, and changes nothing', async ({ given, says }) => {
    const { code, err } = await skip(...given());
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(says()) });
    expect(err).not.toMatch(/^ +at /m);
    expect(await readiness()).toMatchObject({ status: 'degraded' });
    expect(await decisions()).toEqual([]);
  });

  it('lets the read model go on at once, and the list of projections shows what it leaves out, and why', async () => {
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

  it('leaves the document as it was, with the ETag of its stream, and folds what comes later', async () => {
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

  it('holds for a rebuild too', async () => {
    const list = (await server.get('/protocols')).body;
    const rebuilt = await runCli(directory, 'projections', 'rebuild', 'protocols');
    expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('is live') });
    expect((await server.get('/protocols')).body).toEqual(list);
    expect(await readiness()).toMatchObject({ status: 'ready' });
  });
});
