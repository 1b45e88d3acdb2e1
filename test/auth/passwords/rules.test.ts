import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { givenPassword, isEasyPassword, isOfEmail, newPassword } from '../../../src/auth/passwords/rules.js';
import { expectTurns } from '../../support/event-loop.js';
import { first } from '../../support/items.js';

describe('the lists of easy passwords', () => {
  /** Loads the module again for each run of `expectTurns`. Its lists are then not loaded. */
  const modules = async () => {
    const made: typeof import('../../../src/auth/passwords/rules.js')[] = [];
    for (let run = 0; run < 3; run += 1) {
      vi.resetModules();
      made.push(await import('../../../src/auth/passwords/rules.js'));
    }
    return made;
  };

  it('are loaded in turns', async () => {
    const made = await modules();
    await expectTurns(async () => made.pop()?.loadEasyPasswords());
  });

  it('delay no check after that', async () => {
    const made = await modules();
    for (const { loadEasyPasswords } of made) await loadEasyPasswords();
    const check = async () => {
      await turn();
      expect(made.pop()?.isEasyPassword('password1')).toBe(true);
    };
    await expectTurns(check, { ms: 10 });
  });

  it('are loaded by the first check, if nothing loaded them before', async () => {
    const { isEasyPassword: check } = first(await modules());
    expect(['password1', 'médico77', 'horse battery staple'].map((each) => check(each))).toEqual([true, true, false]);
  });
});

describe('an easy password', () => {
  it('is one that many people use, ignoring case', () => {
    for (const password of ['password', 'PASSWORD1', '12345678', 'Qwertyuiop', 'password12345', 'clinical']) {
      expect(isEasyPassword(password), password).toBe(true);
    }
    for (const password of ['correct horse battery staple', 'senha do canário', 'm0nkey839201847362']) {
      expect(isEasyPassword(password), password).toBe(false);
    }
  });
  it.each(['senha1234', 'brasil2026', 'Médico!!', 'coração7', 'gabriel123', '2026protocolos'])(
    'is a Portuguese word with a few digits or signs: %s',
    (password) => expect(isEasyPassword(password)).toBe(true),
  );
  it.each(['clinical', 'ClinicalProtocols', 'protocols', 'protocolos', 'administrator', 'administrador', 'COREN'])(
    'is a word of this service with a few digits or signs: %s',
    (word) => expect(isEasyPassword(`${word}-2026`)).toBe(true),
  );
  it('is one repeated character, or has no visible character', () => {
    for (const password of ['aaaaaaaa', '        ', '\u200B'.repeat(8), '\u200B\u200C'.repeat(4), '😀'.repeat(4)]) {
      expect(isEasyPassword(password)).toBe(true);
    }
  });
  it('is a word only with few digits and signs before and after it', () => {
    for (const password of ['12senha34', '(clinical)', '~~~senha~~~']) expect(isEasyPassword(password)).toBe(true);
    for (const password of ['sen1ha', '1234senha567', '83920174']) expect(isEasyPassword(password)).toBe(false);
  });
  it('is found as soon in many digits between two letters', () =>
    expectTurns(async () => {
      await turn();
      isEasyPassword(`a${'1'.repeat(30_000)}a`);
    }));
  it('is the e-mail address, or its part before the last @', () => {
    for (const password of ['ana.souza', 'ANA.SOUZA@example.org'])
      expect(isOfEmail(password, 'Ana.Souza@example.org')).toBe(true);
    expect(isOfEmail('"a@b"', '"a@b"@example.org')).toBe(true);
    expect(isOfEmail('ana.souza.', 'ana.souza@example.org')).toBe(false);
  });
});

describe('a new password', () => {
  const codesOf = (password: string) =>
    newPassword
      .safeParse(password)
      .error?.issues.map(({ code, ...issue }) => ('params' in issue ? issue.params?.['code'] : code));

  it('has its longest length as it was sent, and its shortest length once it is normalized', () => {
    expect(codesOf('ｑｗmzkrt')).toEqual(['too_small']);
    expect(codesOf('Żółćńśä'.normalize('NFD'))).toEqual(['too_small']);
    expect(codesOf('ﷺ')).toBeUndefined();
    expect(codesOf('\u1100\u1161'.repeat(512))).toEqual(['common']);
    expect(codesOf('ạ̈b'.normalize('NFD').repeat(257))).toEqual(['too_big']);
    expect(codesOf('ﷺ가'.repeat(512))).toBeUndefined();
    expect(codesOf('ﷺ가'.repeat(513))).toEqual(['too_big']);
    expect(givenPassword.safeParse('ﷺ'.repeat(1_024)).success).toBe(true);
    expect(givenPassword.safeParse('x'.repeat(1_025)).success).toBe(false);
  });

  it.each(['ｐａｓｓｗｏｒｄ１', '𝓺𝓌ertyuiop', 'ａaａaａaａa', 'Ⓑⓡⓐⓢⓘⓛ2026'])(
    'is easy to guess in any Unicode form: %s',
    (password) => expect(codesOf(password)).toEqual(['common']),
  );

  it.each(['ａｎａ．ｓｏｕｚａ', 'ana.souza＠example.org', '𝒶na.𝓈ouza'])(
    'is of an e-mail address in any form: %s',
    (password) => expect(isOfEmail(password, 'Ana.Souza@example.org')).toBe(true),
  );
});
