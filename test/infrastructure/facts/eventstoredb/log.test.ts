// Tests what a page of the log is worth if the responses of the server end early or do not arrive.
import { describe, expect, it } from 'vitest';
import { DeadlinePassed } from '../../../../src/infrastructure/async.js';
import type { Reading } from '../../../../src/infrastructure/facts/eventstoredb/connection.js';
import { toPosition } from '../../../../src/infrastructure/facts/eventstoredb/events.js';
import { readPage } from '../../../../src/infrastructure/facts/eventstoredb/log.js';
import type { RecordedEvent } from '../../../../src/infrastructure/facts/facts.js';
import { recorded } from '../../../projections/support/recorded.js';

const positionOf = (n: number) => toPosition({ commit: BigInt(n), prepare: BigInt(n) });

const eventAt = (n: number, aggregate = 'user'): RecordedEvent => ({
  ...recorded(n, { type: 'Happened', data: null }, { aggregate }),
  position: positionOf(n),
});

const whole = (...events: readonly RecordedEvent[]): Reading => ({ events, isWhole: true });
const nothing = new DeadlinePassed(1);

/** Reads the page after event 10 from a server that gives these responses, one for each call. */
const pageFrom = (...responses: readonly (Reading | Error)[]) => {
  const left = [...responses];
  const read = async () => {
    const next = left.shift() ?? nothing;
    if (next instanceof Error) throw next;
    return next;
  };
  return readPage({ read }, { aggregates: ['user'], after: positionOf(10) }, 5, 1_000);
};

describe('a page of the log', () => {
  it('is at the end if its response reaches the head', async () => {
    const page = await pageFrom(whole(eventAt(99, 'foreign')), whole(eventAt(20), eventAt(99, 'foreign')));
    expect(page).toEqual({ events: [eventAt(20)], position: positionOf(99), atEnd: true });
  });

  it('ends at its last event if its response ends before the head', async () => {
    const page = await pageFrom(whole(eventAt(99, 'foreign')), whole(eventAt(20)));
    expect(page).toEqual({ events: [eventAt(20)], position: positionOf(20), atEnd: false });
  });

  it('is read without the filter if a response is empty before the head', async () => {
    const page = await pageFrom(whole(eventAt(99)), whole(), whole(eventAt(30), eventAt(99)));
    expect(page).toMatchObject({ events: [eventAt(30), eventAt(99)], atEnd: true });
  });

  it('keeps what the reads without the filter have passed when the time ends', async () => {
    const passed = whole(...Array.from({ length: 512 }, (_, n) => eventAt(11 + n, 'foreign')));
    const page = await pageFrom(whole(eventAt(9_999)), nothing, passed, nothing);
    expect(page).toEqual({ events: [], position: positionOf(522), atEnd: false });
  });

  it.each([
    ['empty', whole()],
    ['missing', nothing],
  ])('cannot be read if every response is %s', async (_, response) => {
    const head = whole(eventAt(99));
    await expect(pageFrom(head, response, response, response)).rejects.toThrow(DeadlinePassed);
  });
});
