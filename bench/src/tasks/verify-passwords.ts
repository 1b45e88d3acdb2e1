// What no sign-in can do without: so many passwords verified by bare argon2id, as many at once as the service does.
import { hash, verify } from '@node-rs/argon2';
import { passwordCost, passwordLimits } from '../../../dist/auth/passwords/passwords.js';
import { answer, taskOptions } from '../lib/task.js';

const PASSWORD = 'nobody would guess 9 of these';

const { count } = taskOptions<{ count: number }>();
const hashed = await hash(PASSWORD, passwordCost);
const left = Array(count).values();
const started = performance.now();
const verifiers = Array.from({ length: passwordLimits.atOnce }, async () => {
  for (const _ of left) if (!(await verify(hashed, PASSWORD))) throw new Error('the right password was refused');
});
await Promise.all(verifiers);
answer({ perSecond: (count * 1_000) / (performance.now() - started) });
