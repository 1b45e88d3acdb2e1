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
    ['\u0665\u0662\u0669.\u0669\u0668\u0662.\u0662\u0664\u0667-\u0662\u0665', '52998224725'],
    ['\u{1D7DA}\u{1D7CE}\u{11DA9}\u{1FBF0}', '2090'],
    ['.-/ ', ''],
  ])('by its letters and digits, in any script, ignoring case: %s', (document, comparable) =>
    expect(comparableDocument(document)).toBe(comparable),
  );
});

describe('an e-mail address is compared', () => {
  it('ignoring case', () =>
    expect(comparableEmail('Ana.Souza@Example.ORG')).toBe(comparableEmail('ana.souza@example.org')));
});
