// Baseline of a sign-in: verifies passwords directly with argon2id, as many at the same time as the service does.
import { hash, verify } from '@node-rs/argon2';
import { passwordCost, passwordLimits } from '../../../dist/auth/passwords/passwords.js';
import { taskOptions, writeResult } from '../lib/task.js';

const PASSWORD = 'nobody would guess 9 of these';

const { seconds } = taskOptions<{ seconds: number }>();
const hashed = await hash(PASSWORD, passwordCost);
let count = 0;
const started = performance.now();
const verifiers = Array.from({ length: passwordLimits.atOnce }, async () => {
  for (; performance.now() < started + seconds * 1_000; count += 1) {
    if (!(await verify(hashed, PASSWORD))) throw new Error('argon2id rejected the correct password');
  }
});
await Promise.all(verifiers);
writeResult({ perSecond: (count * 1_000) / (performance.now() - started) });
