import { describe, expect, it } from 'vitest';
import { decisionText } from '../../../src/auth/codes/decision-texts.js';
import { profileTypes } from '../../../src/domain/user/events.js';

const news = ['APPROVED', 'REJECTED', 'REVOKED', 'ANALYSING'] as const;
const all = profileTypes.flatMap((type) => news.map((each) => [type, each] as const));

describe('the message about a decision', () => {
  it.each(all)('on a profile %s is in both languages, without a link: %s', (type, each) => {
    const { subject, text } = decisionText(type, each);
    expect(subject).toMatch(/^[A-Z][^/]+ \/ [A-Z][^/]+$/);
    const [portuguese = '', english = ''] = text.split('* * *');
    expect(portuguese).toMatch(
      /^\(English version below\)\n\nOlá,\n\n[\s\S]+administrador da sua instituição\.[\s\S]+Equipe/,
    );
    expect(english).toMatch(/^\n\nHello,\n\n[\s\S]+an administrator of your institution\.[\s\S]+team\n$/);
    const [place, lugar] =
      each === 'ANALYSING'
        ? ['the data in your account', 'os dados na sua conta']
        : ['The history of the profile, in your account', 'O histórico do perfil, na sua conta'];
    expect(portuguese).toContain(lugar);
    expect(english).toContain(place);
    expect(text).not.toMatch(/https?:|www\.|undefined/);
    for (const line of text.split('\n\n')) expect(line).toMatch(/^[\p{Lu}(*]/u);
  });

  it('differs by profile and by decision', () =>
    expect(new Set(all.map((each) => decisionText(...each).text)).size).toBe(all.length));
});
