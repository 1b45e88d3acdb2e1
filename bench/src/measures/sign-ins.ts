// Measures sign-ins with the correct password, compared with bare argon2id on the same cores. No two requests
// at the same time share an account.
import { makeAccounts, SIGN_IN, startGuarded } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { CONNECTIONS, load } from '../lib/load.js';
import { pairRow } from '../lib/rounds.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';

const ACCOUNTS_EACH = 6;

export const signIns: Measure = {
  name: 'sign-ins',
  title: 'sign-ins',
  run: async (bench) => {
    const seconds = bench.quick ? 2 : 5;
    const guarded = await startGuarded(below(bench, 'product'));
    const { server } = guarded;
    try {
      const accounts = await makeAccounts(guarded, CONNECTIONS * (bench.quick ? 2 : ACCOUNTS_EACH));
      const requests = accounts.map((body) => ({ method: 'POST' as const, path: SIGN_IN, body }));
      const ours = async () => (await load({ server, requests }, seconds)).perSecond;
      const theirs = async () => (await runTask<{ perSecond: number }>('verify-passwords', { seconds })).perSecond;
      await ours();
      const row = { what: 'sign-ins', unit: 'requests/s', target: 'sign-ins', than: 'argon2id, two at once' } as const;
      return [await pairRow(bench, row, { ours, theirs })];
    } finally {
      await server.stop();
    }
  },
};
