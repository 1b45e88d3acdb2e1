// Compares raw calls on the stand-in for EventStoreDB with measurements on a real node.
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
    const [response] = await batch(chunks, 1);
    expect(response?.getSuccess()?.getCurrentRevision()).toBe('1');
    expect(response?.getCorrelationId()?.getString()).toBe(correlationId);
    expect(await node.idsOf(stream)).toHaveLength(2);
  });

  it('with malformed JSON is stored and read as text', async () => {
    const stream = newName();
    await batch([{ correlationId: randomUUID(), stream, type: 'Broken', data: '{' }], 1);
    for await (const { event } of node.client.readStream(stream))
      expect(event).toMatchObject({ data: '{', isJson: true });
  });

  it('without a type is a bad request and later times out, too', async () => {
    const correlationId = randomUUID();
    const responses = await batch([{ correlationId, stream: newName() }], 2);
    expect(responses.map((response) => response.getError()?.getMessage())).toEqual(['BadRequest', 'Timeout']);
    expect(responses.map((response) => response.getError()?.getCode())).toEqual([3, 4]);
    expect(new Set(responses.map((response) => response.getCorrelationId()?.getString()))).toEqual(
      new Set([correlationId]),
    );
  });

  it('without a final chunk times out and writes nothing', async () => {
    const stream = newName();
    const [response] = await batch([{ correlationId: randomUUID(), stream, type: 'A', isFinal: false }], 1);
    expect(response?.getError()?.getMessage()).toBe('Timeout');
    await expect(node.idsOf(stream)).rejects.toThrow('not found');
  });

  it('without options is ignored, and a faulty later chunk ends the call', async () => {
    const [stream, correlationId] = [newName(), randomUUID()];
    const ignored = { correlationId: randomUUID(), type: 'A' };
    const chunks = [ignored, { correlationId, stream, type: 'A', isFinal: false }, { correlationId }];
    await expect(batch(chunks, 1)).rejects.toMatchObject({ code: 2, details: 'Exception was thrown by handler.' });
  });
});
