import { describe, expect, it, vi } from 'vitest';
import {
  comparableDocument,
  comparableEmail,
  comparableName,
  comparableSpecialty,
} from '../../src/domain/comparable.js';

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

describe('a comparison of texts', () => {
  it('never has to sort more than a few marks at once', () => {
    const longestRuns: number[] = [];
    const normalize = vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string) {
      longestRuns.push(Math.max(0, ...(this.match(/(?:(?!\u034F)\p{M})+/gu) ?? []).map((run) => [...run].length)));
      return this;
    });
    const marks = `a${'\u0316\u0301'.repeat(500)}`;
    for (const compare of [comparableDocument, comparableName, comparableSpecialty]) compare(marks);
    normalize.mockRestore();
    expect(Math.max(...longestRuns)).toBe(30);
  });

  it.each([29, 30, 31, 60, 61, 200])('ignores all of %d marks after a letter', (count) => {
    const marks = '\u0316\u0301'.repeat(count).slice(0, count);
    expect(comparableName(`x${marks}y`)).toBe('xy');
    expect(comparableSpecialty(`x${marks}y`)).toBe('xy');
    expect(comparableDocument(`x${marks}y`)).toBe('xy');
  });
});
