// Holds the stand-in for EventStoreDB against what was measured of raw calls on a real node.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Node, newName } from './harness.js';
import { type Chunk, rawBatch } from './raw-batch.js';

const node = new Node();
const batch = (chunks: readonly Chunk[], count: number) => rawBatch(node.real ?? node.server.url, chunks, count);

describe('a raw batch', () => {
  it('of several chunks is one append', async () => {
    const [stream, correlationId] = [newName(), randomUUID()];
    const chunks = [
      { correlationId, stream, type: 'A', isFinal: false },
      { correlationId, type: 'B' },
    ];
    const [answer] = await batch(chunks, 1);
    expect(answer?.getSuccess()?.getCurrentRevision()).toBe('1');
    expect(answer?.getCorrelationId()?.getString()).toBe(correlationId);
    expect(await node.idsOf(stream)).toHaveLength(2);
  });

  it('that is not JSON is stored, and read as text', async () => {
    const stream = newName();
    await batch([{ correlationId: randomUUID(), stream, type: 'Broken', data: '{' }], 1);
    for await (const { event } of node.client.readStream(stream))
      expect(event).toMatchObject({ data: '{', isJson: true });
  });

  it('without a type is a bad request, and then also times out', async () => {
    const correlationId = randomUUID();
    const answers = await batch([{ correlationId, stream: newName() }], 2);
    expect(answers.map((answer) => answer.getError()?.getMessage())).toEqual(['BadRequest', 'Timeout']);
    expect(answers.map((answer) => answer.getError()?.getCode())).toEqual([3, 4]);
    expect(new Set(answers.map((answer) => answer.getCorrelationId()?.getString()))).toEqual(new Set([correlationId]));
  });

  it('that is never finished times out, and writes nothing', async () => {
    const stream = newName();
    const [answer] = await batch([{ correlationId: randomUUID(), stream, type: 'A', isFinal: false }], 1);
    expect(answer?.getError()?.getMessage()).toBe('Timeout');
    await expect(node.idsOf(stream)).rejects.toThrow('not found');
  });

  it('with options missing is ignored, with a faulty later chunk ends the call', async () => {
    const [stream, correlationId] = [newName(), randomUUID()];
    const ignored = { correlationId: randomUUID(), type: 'A' };
    const chunks = [ignored, { correlationId, stream, type: 'A', isFinal: false }, { correlationId }];
    await expect(batch(chunks, 1)).rejects.toMatchObject({ code: 2, details: 'Exception was thrown by handler.' });
  });
});
