import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isEasyPassword, isOfEmail } from '../../../src/auth/passwords/rules.js';
import { expectTurns } from '../../support/event-loop.js';

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
