import { createHook } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import {
  Passwords,
  passwordCost,
  passwordLimits,
  TooManyPasswords,
  unknownUsersHash,
} from '../../../src/auth/passwords/passwords.js';
import { registerUser } from '../../../src/auth/registration.js';
import { TooContended } from '../../../src/commands/context.js';
import type { CommandHandler } from '../../../src/commands/handle-command.js';
import { randomIds } from '../../../src/commands/ids.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { decrypt } from '../../../src/infrastructure/sealed/aes-gcm.js';
import { person } from '../../domain/support/user-samples.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { uuidOf } from '../../support/specification.js';
import { aKey, keepAtCost } from '../support/auth-harness.js';

const vault = new MemoryVault();
const kept = async (userId: string) =>
  (await vault.get<{ sealed: string }>({ kind: 'password', key: userId }))?.value.sealed;

describe('a password', () => {
  it('is kept as a sealed argon2id hash, with its person as the subject', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    await passwords.keep(uuidOf(1), 'correct horse');
    await passwords.keep(uuidOf(2), 'correct horse');
    const [one = '', other] = [await kept(uuidOf(1)), await kept(uuidOf(2))];
    expect(one).not.toBe(other);
    const opened = decrypt(await aKey('passwords')(), Buffer.from(one, 'base64'), `["password","${uuidOf(1)}"]`);
    expect(opened?.toString()).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await vault.ofSubject('password', uuidOf(1))).toHaveLength(1);
  });

  it('that somebody else chose can be used only once', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    await passwords.keep(uuidOf(11), 'correct horse', { isInitial: true });
    const uses = await Promise.all([passwords.useInitial(uuidOf(11)), passwords.useInitial(uuidOf(11))]);
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await passwords.verify(uuidOf(11), 'correct horse')).toBe(true);
    await passwords.replace(uuidOf(11), 'another horse', await passwords.versionOf(uuidOf(11)));
    for (const _ of [1, 2]) expect(await passwords.useInitial(uuidOf(11))).toBe(true);
  });

  it('is not overwritten, and is removed when it is forgotten', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    await passwords.keep(uuidOf(3), 'the first one');
    const before = await kept(uuidOf(3));
    await passwords.keep(uuidOf(3), 'the second one');
    expect(await kept(uuidOf(3))).toBe(before);
    await passwords.forget(uuidOf(3));
    expect(await kept(uuidOf(3))).toBeUndefined();
  });

  it('is verified only for its user, and never for an unknown user or a user without a password', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    await passwords.keep(uuidOf(4), 'correct horse');
    const tries = [
      passwords.verify(uuidOf(4), 'correct horse'),
      passwords.verify(uuidOf(4), 'correct horse '),
      passwords.verify(uuidOf(5), 'correct horse'),
      passwords.verify(undefined, 'correct horse'),
    ];
    expect(await Promise.all(tries)).toEqual([true, false, false, false]);
  });

  it('is refused if too many wait to be hashed, and accepted again afterwards', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const most = passwordLimits.atOnce + passwordLimits.waiting;
    const all = Array.from({ length: most + 5 }, (_, n) => passwords.keep(uuidOf(0x1000 + n), `password ${n}`));
    const outcomes = await Promise.allSettled(all);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(5);
    for (const each of refused) expect(each).toMatchObject({ reason: expect.any(TooManyPasswords) });
    await passwords.keep(uuidOf(0x999), 'one more');
    expect(await kept(uuidOf(0x999))).toBeDefined();
  });
});

// What Node.js itself begins, also for another file of the worker.
const OF_NODE = /^([A-Z_]+|Microtask|TickObject|Timeout|Immediate)$/;

/** Returns the types of the tasks that a call gives to other threads. Each computation of argon2 is one. */
const tasksOf = async (call: () => Promise<unknown>): Promise<readonly string[]> => {
  const types: string[] = [];
  const hook = createHook({ init: (_, type) => void (OF_NODE.test(type) || types.push(type)) }).enable();
  await call().finally(() => hook.disable());
  return types;
};

describe('a password in another Unicode form', () => {
  const forms: readonly (readonly [string, string, string])[] = [
    ['accents as marks', 'Ångström über Řež', 'Ångström über Řež'.normalize('NFD')],
    ['accents as characters', 'ệ ơi, trời ơi'.normalize('NFD'), 'ệ ơi, trời ơi'.normalize('NFC')],
    ['Hangul as jamo', '열려라 참깨 열려라', '열려라 참깨 열려라'.normalize('NFD')],
    ['wide letters', 'ｏｐｅｎ　ｔｈｅ　ｇａｔｅ', 'open the gate'],
    ['a ligature and a hard space', 'ﬁve\u00A0geese ﬂy', 'five geese fly'],
  ];

  it.each(forms)('is the same: %s', async (_, one, other) => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const [kept, replaced] = [randomUUID(), randomUUID()];
    await passwords.keep(kept, one);
    await passwords.keep(replaced, 'correct horse');
    await passwords.replace(replaced, one, await passwords.versionOf(replaced));
    for (const userId of [kept, replaced]) {
      expect([await passwords.verify(userId, one), await passwords.verify(userId, other)]).toEqual([true, true]);
      expect(await passwords.verify(userId, `${other}.`)).toBe(false);
    }
  });

  it('takes as many computations for every user as for none', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const [normal, none] = [randomUUID(), randomUUID()];
    await passwords.keep(normal, 'Smörgåsbord 4 all');
    const computation = await tasksOf(() => hash('a password', passwordCost));
    expect(computation).toHaveLength(1);
    const texts = ['plain and wrong', 'Señor, wrong', 'Smörgåsbord 4 all', 'ｗｉｄｅ ａｎｄ ｗｒｏｎｇ'];
    for (const text of [...texts, ...texts.map((each) => each.normalize('NFD'))]) {
      for (const userId of [undefined, none, normal]) {
        expect(await tasksOf(() => passwords.verify(userId, text))).toEqual(computation);
      }
    }
  });
});

describe('a password whose hash cost less than hashes do now', () => {
  const PASSWORD = 'correct horse';
  const TODAY = '$argon2id$v=19$m=19456,t=2,p=1$';
  const hashOf = async (userId: string) => {
    const opened = decrypt(
      await aKey('passwords')(),
      Buffer.from((await kept(userId)) ?? '', 'base64'),
      `["password","${userId}"]`,
    );
    return JSON.parse(opened?.toString() ?? '{}') as { readonly hash?: string; readonly initial?: string };
  };
  const matched = async (passwords: Passwords, cost: Parameters<typeof keepAtCost>[3]) => {
    const userId = randomUUID();
    await keepAtCost(vault, userId, PASSWORD, cost);
    const match = await passwords.match(userId, PASSWORD);
    if (match === undefined) throw new Error('the password does not match');
    return { userId, renew: () => passwords.renew(userId, PASSWORD, match) };
  };

  it.each([
    [{ memoryCost: 8_192 }, {}],
    [{ timeCost: 1, initial: 'unused' }, { initial: 'unused' }],
  ] as const)('(%o) is hashed again, and stays as it is otherwise', async (cost, others) => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const { userId, renew } = await matched(passwords, cost);
    await renew();
    const { hash: renewed, ...rest } = await hashOf(userId);
    expect([renewed?.startsWith(TODAY), rest]).toEqual([true, others]);
    const tries = [PASSWORD, 'wrong'].map((text) => passwords.verify(userId, text));
    expect(await Promise.all(tries)).toEqual([true, false]);
  });

  it('is not hashed again if it changed or was removed meanwhile', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const [changed, removed] = [await matched(passwords, { timeCost: 1 }), await matched(passwords, { timeCost: 1 })];
    await passwords.replace(changed.userId, 'another horse', await passwords.versionOf(changed.userId));
    await passwords.forget(removed.userId);
    for (const { renew } of [changed, removed]) await renew();
    expect(await passwords.verify(changed.userId, 'another horse')).toBe(true);
    expect(await passwords.versionOf(removed.userId)).toBeUndefined();
  });

  it('changes although it is being hashed again', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const { userId, renew } = await matched(passwords, { timeCost: 1 });
    const version = await passwords.versionOf(userId);
    const [isChanged] = await Promise.all([passwords.replace(userId, 'another horse', version), renew()]);
    expect(isChanged || (await passwords.replace(userId, 'another horse', await passwords.versionOf(userId)))).toBe(
      true,
    );
    expect(await passwords.verify(userId, 'another horse')).toBe(true);
  });

  it('waits for the next sign-in if others wait to be hashed', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const { userId, renew } = await matched(passwords, { timeCost: 1 });
    const others = Array.from({ length: passwordLimits.atOnce + 5 }, () => passwords.verify(undefined, PASSWORD));
    await nextTurn();
    await renew();
    await Promise.all(others);
    expect((await hashOf(userId)).hash).toContain(',t=1,');
  });

  it('is none that costs as much or more', async () => {
    const passwords = new Passwords(vault, aKey('passwords'));
    for (const cost of [{}, { timeCost: 3 }, { memoryCost: 65_536, timeCost: 1 }]) {
      const { renew } = await matched(passwords, cost);
      expect(await tasksOf(renew)).toEqual([]);
    }
  });

  it('is not that with which the password of an unknown user is compared', () =>
    expect(unknownUsersHash.startsWith(TODAY)).toBe(true));
});

describe('a password that somebody without the master key puts into the vault', () => {
  const [own, foreign] = ['correct horse', 'the horse of an attacker'];

  it.each<[string, (ofOther: unknown) => Promise<unknown>]>([
    ['the record of another user', async (ofOther) => ofOther],
    ['a bare hash', async () => ({ hash: await hash(foreign, passwordCost) })],
  ])('does not match if it is %s, and can be replaced', async (_, forged) => {
    const passwords = new Passwords(vault, aKey('passwords'));
    const [rita, ana] = [randomUUID(), randomUUID()];
    await passwords.keep(rita, own);
    await passwords.keep(ana, foreign);
    const ofAna = await vault.get({ kind: 'password', key: ana });
    const value = await forged(ofAna?.value);
    await vault.replace({ kind: 'password', key: rita, value, subject: rita }, 1);
    expect([await passwords.verify(ana, foreign), await passwords.verify(rita, foreign)]).toEqual([true, false]);
    expect(await passwords.replace(rita, own, await passwords.versionOf(rita))).toBe(true);
    expect(await passwords.verify(rita, own)).toBe(true);
  });
});

describe('a registration that fails', () => {
  const failing = async (failure: Error) => {
    const ids = randomIds();
    const by = { actor: { id: 'anonymous', roles: [] }, correlationId: '', causationId: '', ids, resumed: false };
    const handle: CommandHandler = () => Promise.reject(failure);
    const data = { ...person, enabled: true, acceptedTerms: true, profiles: [] };
    const registered = registerUser(
      { handle, passwords: new Passwords(vault, aKey('passwords')) },
      { data, password: 'a password' },
      by,
    );
    await expect(registered).rejects.toBe(failure);
    return kept(ids.aggregateId());
  };

  it('leaves no password if nothing was recorded', async () =>
    expect(await failing(new TooContended('user-1'))).toBeUndefined());
  it('leaves the password if the outcome is unknown, because the user may exist', async () =>
    expect(await failing(new StoreUnavailable('the facts', new Error('gone')))).toBeDefined());
});
