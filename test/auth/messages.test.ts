import { describe, expect, it } from 'vitest';
import { channels, languages, purposes } from '../../src/auth/codes.js';
import { messageOf } from '../../src/auth/messages.js';

// Of the GSM 7 bit default alphabet (3GPP TS 23.038, 6.2.1) what our texts may use.
const GSM = /^[A-Za-z0-9 .,:;!?'"()\-\n]*$/;
const all = languages.flatMap((language) =>
  purposes.flatMap((purpose) => channels.map((channel) => ({ language, purpose, channel }))),
);

describe('a message with a code', () => {
  it.each(all)('names the code once, how long it is good for, and no link: $language, $purpose, $channel', (of) => {
    const { subject, text } = messageOf(of, '012345', 600_000);
    expect(text.match(/\d{6}/g)).toEqual(['012345']);
    expect(text).toMatch(/\b10 minut[eo]s\b/);
    expect(text).toMatch(/ignor/);
    expect(`${subject} ${text}`).not.toMatch(/https?:|www\.|\.(com|org|br)\b/);
    expect(subject).not.toMatch(/\d/);
    expect(subject.length).toBeGreaterThan(5);
  });

  it('says something else for each purpose, in each language', () => {
    const said = all.map((of) => messageOf(of, '012345', 600_000).text);
    expect(new Set(said)).toHaveLength(all.length);
  });

  it.each(all.filter(({ channel }) => channel === 'SMS'))('is a single SMS: $language, $purpose', (of) => {
    const { text } = messageOf(of, '012345', 600_000);
    expect(text.length).toBeLessThanOrEqual(160);
    expect(text).toMatch(GSM);
  });
});
