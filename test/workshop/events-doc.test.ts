import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsDocument } from '../../scripts/events-doc.js';

describe('docs/events.md', () => {
  it('says what the event schemas say (npm run docs:events makes it anew)', () => {
    expect(readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventsDocument());
  });
});
