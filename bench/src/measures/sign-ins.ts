// Sign-ins by the right password, against argon2id alone on the same cores. No account is hot: each connection goes round
// those that are its own.
import { type Account, makeAccounts, signIn, startGuarded } from '../lib/accounts.js';
import { CONNECTIONS } from '../lib/load.js';
import { rateOf, type Send } from '../lib/rate.js';
import { atLeast } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';
import { below } from './http.js';
import { pairRow } from './pair.js';

/** Signs in as one account after the other, none of which another connection has. */
export const signingIn = (accounts: readonly Account[], connections: number): Send => {
  const turns = new Map<number, number>();
  return (caller, connection) => {
    const own = accounts.filter((_, n) => n % connections === connection);
    const turn = turns.get(connection) ?? 0;
    turns.set(connection, turn + 1);
    const account = own[turn % own.length];
    if (account === undefined) throw new Error('there are fewer accounts than connections');
    return signIn(caller, account);
  };
};

export const signIns: Measure = {
  name: 'sign-ins',
  title: 'sign-ins',
  run: async (bench) => {
    const guarded = await startGuarded(below(bench, 'product'));
    const { server } = guarded;
    try {
      const accounts = await makeAccounts(guarded, bench.quick ? 64 : 200);
      const send = signingIn(accounts, CONNECTIONS);
      const each = bench.quick ? 5 : 25;
      const [ours, bare] = [
        () => rateOf(server.url, each, send),
        async () => (await runTask<{ perSecond: number }>('verify-passwords', { count: CONNECTIONS * each })).perSecond,
      ];
      await ours();
      const row = { what: 'sign-ins', unit: 'requests/s', than: 'argon2id, two at once' };
      const found = await pairRow(bench, row, [ours, bare]);
      return [{ ...found, notes: [`${accounts.length} accounts`], aim: atLeast(0.9, found.ratio) }];
    } finally {
      await server.stop();
    }
  },
};
