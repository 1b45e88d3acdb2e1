import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { Form, FormStatus, ProtocolFields, SentCopy } from '../../../src/domain/protocol/schemas.js';
import { specification, uuidOf } from '../../support/specification.js';
import {
  archived,
  created,
  fieldsIn,
  formIn,
  formWith,
  option,
  published,
  range,
  retired,
  select,
} from '../support/protocol-samples.js';

const { given } = specification(protocol);
const draft = formWith([select(1, [option(1)])], { scoreRanges: [range(1, 0, 5)] });

describe('what responses show', () => {
  it.each([
    ['DRAFT', []],
    ['PUBLISHED', [published]],
    ['RETIRED', [published, retired]],
  ])('of a form that is %s is exactly what its schema says', (status, events) => {
    const form = formIn(given(created, draft, ...events).state());
    expect(FormStatus.parse(form.status)).toBe(status);
    expect(Form.parse(form)).toStrictEqual(form);
  });

  it.each([
    ['a protocol', []],
    ['an archived protocol', [archived]],
  ])('of %s is exactly what its schema says', (_, events) => {
    const fields = fieldsIn(given(created, ...events).state());
    expect(ProtocolFields.parse(fields)).toStrictEqual(fields);
  });
});

describe('a request for a copy of a protocol', () => {
  const institutionId = uuidOf(1);

  it.each([[{ institutionId }], [{ institutionId, name: 'Copy', formId: uuidOf(2) }]])('may be %j', (sent) =>
    expect(SentCopy.parse(sent)).toEqual(sent),
  );

  it.each([
    [{}, 'institutionId'],
    [{ institutionId: 'here' }, 'institutionId'],
    [{ institutionId, name: ' ' }, 'name'],
    [{ institutionId, formId: 'newest' }, 'formId'],
  ])('may not be %j, because of its %s', (sent, field) => {
    const { error } = SentCopy.safeParse(sent);
    expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });
});
