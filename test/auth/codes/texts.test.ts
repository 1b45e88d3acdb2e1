import { describe, expect, it } from 'vitest';
import { channels, codeText, languages, purposes } from '../../../src/auth/codes/texts.js';

// The part of the GSM 7 bit default alphabet (3GPP TS 23.038, 6.2.1) that our texts may use.
const GSM = /^[A-Za-z0-9 .,:;!?'"()\-\n]*$/;
// The notice of a changed address has no code and is sent only by e-mail.
const withCode = purposes.filter((purpose) => purpose !== 'email-changed');
const all = languages.flatMap((language) =>
  withCode.flatMap((purpose) => channels.map((channel) => ({ language, purpose, channel }))),
);

describe('a message with a code', () => {
  it.each(all)('has the code once, its lifetime, and no link: $language, $purpose, $channel', (of) => {
    const { subject, text } = codeText(of, '012345', 600_000);
    expect(text.match(/\d{6}/g)).toEqual(['012345']);
    expect(text).toMatch(/\b10 minut[eo]s\b/);
    expect(/\bignor/.test(text)).toBe(of.purpose !== 'account-created');
    expect(`${subject} ${text}`).not.toMatch(/https?:|www\.|\.(com|org|br)\b/);
    expect(subject).not.toMatch(/\d/);
    expect(subject.length).toBeGreaterThan(5);
  });

  it.each(languages)('to a new account says that the code is valid for three days: %s', (language) => {
    const { text } = codeText({ language, purpose: 'account-created', channel: 'EMAIL' }, '01234567', 259_200_000);
    expect(text).toMatch(/\b3 (dias|days)\b/);
  });

  it.each([
    ['pt', 'Se o código tiver expirado ou não funcionar, peça a redefinição da senha com este endereço de e-mail'],
    ['en', 'If the code has expired or does not work, request a password reset with this e-mail address'],
  ] as const)('to a new account says what to do if the code is no longer valid: %s', (language, renewal) => {
    const { text } = codeText({ language, purpose: 'account-created', channel: 'EMAIL' }, '01234567', 259_200_000);
    expect(text).toContain(renewal);
  });

  it('differs for each purpose, in each language', () => {
    const texts = all.map((of) => codeText(of, '012345', 600_000).text);
    expect(new Set(texts)).toHaveLength(all.length);
  });

  it.each(all.filter(({ channel }) => channel === 'SMS'))('is a single SMS: $language, $purpose', (of) => {
    const { text } = codeText(of, '012345', 600_000);
    expect(text.length).toBeLessThanOrEqual(160);
    expect(text).toMatch(GSM);
  });

  it.each(languages)('of a changed address has no code and no link, and names a person to contact: %s', (language) => {
    const texts = channels.map(
      (channel) => codeText({ language, purpose: 'email-changed', channel }, '01234567', 600_000).text,
    );
    for (const text of texts) expect(text).not.toMatch(/\d{6}|https?:|www\./);
    expect(texts[0]).toMatch(/administra/);
  });
});

describe('an e-mail', () => {
  const letters = languages.flatMap((language) => purposes.map((purpose) => ({ language, purpose })));

  it.each(letters)('is a letter: $language, $purpose', (of) => {
    const { text } = codeText({ ...of, channel: 'EMAIL' }, '012345', 600_000);
    const paragraphs = text.trimEnd().split('\n\n');
    for (const paragraph of paragraphs) expect(paragraph).toMatch(/^\p{Lu}/u);
    expect(paragraphs.at(0)).toMatch(/^(Olá|Hello),$/);
    expect(paragraphs.at(-2)).toMatch(/administra[dt]or (da sua instituição|of your institution)\.$/);
    expect(paragraphs.at(-1)).toMatch(/^(Atenciosamente|Kind regards),\n.*Clinical Protocols/);
    const isRenewable = !['email-changed', 'account-created'].includes(of.purpose);
    if (isRenewable) expect(text).toMatch(/Se o código expirar|If the code expires/);
  });
});
