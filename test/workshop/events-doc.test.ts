import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsDocument } from '../../scripts/events-doc.js';
import { allDeciders } from '../../src/domain/all.js';
import { personalPathsOf } from '../../src/domain/personal.js';

describe('docs/events.md', () => {
  it('matches the event schemas (npm run docs:events updates it)', () => {
    expect(readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventsDocument());
  });

  it('marks exactly the personal fields', () => {
    const marked = eventsDocument()
      .split('\n### ')
      .flatMap((section) => {
        const [type = '', ...lines] = section.split('\n');
        const rows = lines.filter((line) => line.endsWith('personal: sealed'));
        return rows.map((row) => `${type} ${/`(.+?)`/.exec(row)?.[1]}`);
      });
    const personal = allDeciders.flatMap(({ events }) =>
      [...personalPathsOf(events)].flatMap(([type, paths]) => paths.map((path) => `${type} ${path.join('.')}`)),
    );
    expect(marked.toSorted()).toEqual(personal.toSorted());
    expect(marked).toContain('UserRegistered firstName');
    expect(marked).not.toContain('UserRegistered enabled');
  });
});
