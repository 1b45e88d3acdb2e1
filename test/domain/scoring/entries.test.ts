// Tests what is read of a body whose shape is at fault.
import { describe, expect, it } from 'vitest';
import { formLimits } from '../../../src/domain/protocol/schemas.js';
import { MAX_ERRORS } from '../../../src/domain/rules.js';
import { readAnswers, readableEntries } from '../../../src/domain/scoring/entries.js';
import { uuidOf } from '../../support/specification.js';
import { formOf } from '../support/scoring.js';

const UNKNOWN = uuidOf(0xfff);

describe('the readable entries of a body', () => {
  it.each<[unknown]>([
    [undefined],
    [null],
    [7],
    ['answers'],
    [[]],
    [{}],
    [{ answers: null }],
    [{ answers: { length: 1 } }],
  ])('are none in %j', (sent) => expect(readableEntries(sent)).toEqual([]));

  it('keep their places and what can be read of them', () => {
    const id = uuidOf(0xabc);
    const sent = [
      null,
      [],
      'text',
      {},
      { questionId: id.toUpperCase(), optionIds: [id.toUpperCase(), 5], value: false },
    ];
    expect(readableEntries({ answers: [...sent, { questionId: 5, optionIds: {}, value: [] }] })).toEqual([
      undefined,
      undefined,
      undefined,
      { questionId: '' },
      { questionId: id, optionIds: [id, ''], value: false },
      { questionId: '' },
    ]);
  });

  it('have no faults of their own if they cannot be read', () => {
    const { errors } = readAnswers(formOf([{ responseType: 'TEXT' }]), [undefined, { questionId: UNKNOWN }]);
    expect(errors.map(({ path, code }) => [...path, code])).toEqual([['answers', 1, 'questionId', 'not-found']]);
  });

  // A body of 256 KiB holds many more, which its schema refuses.
  it('are no more than a form can have, and their faults little more than a response lists', () => {
    const sent = Array.from({ length: 80_000 }, () => ({}));
    const entries = readableEntries({ answers: sent });
    expect(entries).toHaveLength(formLimits.questions);
    expect(readAnswers(formOf([{}]), entries).errors).toHaveLength(MAX_ERRORS + 1);
    const optionIds = sent.map(() => 5);
    const [entry] = readableEntries({ answers: [{ questionId: UNKNOWN, optionIds }] });
    expect(entry?.optionIds).toHaveLength(formLimits.options);
  });
});
