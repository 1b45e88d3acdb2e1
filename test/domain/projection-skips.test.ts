import { describe, expect, it } from 'vitest';
import { projection } from '../../src/domain/projection-skips.js';
import { specification } from '../support/specification.js';

const { given, sending } = specification(projection);

const event = {
  projection: 'protocols',
  position: '0000000000000042',
  stream: 'protocol-00000000-0000-7000-8000-000000000001',
  revision: 3,
  type: 'ProtocolQuestionAdded',
  reason: 'written by hand, without a question',
};
const later = { ...event, position: '0000000000000043', revision: 4 };
const skip = (data: typeof event) => ({ type: 'SkipProjectionEvent', data }) as const;
const skipped = (data: typeof event) => ({ type: 'ProjectionEventSkipped', data }) as const;

describe('the skips of a projection', () => {
  it('include an event with the reason of the operator', () => given().when(skip(event)).then(skipped(event)));

  it('include further events', () => given(skipped(event)).when(skip(later)).then(skipped(later)));

  it('do not include an event twice', () =>
    given(skipped(event))
      .when(skip({ ...event, reason: 'another' }))
      .then());

  it('are in the order of the decisions', () =>
    given(skipped(later))
      .when(skip(event))
      .thenState(({ skipped }) => expect(skipped).toEqual([later, event])));

  it.each([
    { what: 'no reason', reason: '', code: 'blank' },
    { what: 'a blank reason', reason: ' \t\u200b', code: 'blank' },
    { what: 'a reason that is too long', reason: 'x'.repeat(501), code: 'too_big' },
  ])('are refused for $what', ({ reason, code }) =>
    sending('SkipProjectionEvent', { ...event, reason }).isRefusedFor(`/reason ${code}`),
  );

  it('allow a reason of 500 characters', () => {
    const longest = { ...event, reason: 'é'.repeat(500) };
    sending('SkipProjectionEvent', longest).isParsedAs(longest);
  });
});
