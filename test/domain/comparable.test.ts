import { describe, expect, it } from 'vitest';
import { comparableDocument, comparableEmail } from '../../src/domain/comparable.js';

describe('a document is compared', () => {
  it.each([
    ['529.982.247-25', '52998224725'],
    ['52998224725', '52998224725'],
    [' 529 982 247/25 ', '52998224725'],
    ['MG-12.345.678', 'mg12345678'],
    ['ÇA.1', 'ça1'],
    ['\uff15\uff12', '52'],
    ['.-/ ', ''],
  ])('by its letters and digits, ignoring case: %s', (document, comparable) =>
    expect(comparableDocument(document)).toBe(comparable),
  );
});

describe('an e-mail address is compared', () => {
  it('ignoring case', () =>
    expect(comparableEmail('Ana.Souza@Example.ORG')).toBe(comparableEmail('ana.souza@example.org')));
});
