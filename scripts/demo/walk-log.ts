// Runs the Go programs of test/go to verify the log of a running service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { noGo } from '../../test/support/go.js';
import { say } from './client.js';

/** Verifies the log of a service and prints the result, or why it skips the check. Rejects if the check fails. */
export const walkLog = async (base: string, key: string, token: string): Promise<void> => {
  const missing = noGo('walk');
  if (missing !== undefined) return say(`  skipped: ${missing}`);
  const cwd = fileURLToPath(new URL('../../test/go/walk/', import.meta.url));
  const env = { ...process.env, GOPROXY: 'off', TOKEN: token };
  say(`  $ go run . -log ${base}/audit/log/ -key KEY`);
  const walk = ['run', '.', '-log', `${base}/audit/log/`, '-key', key];
  const child = spawn('go', walk, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`the log does not verify: ${err}`);
  const { origin, size, root } = JSON.parse(out) as Readonly<Record<string, unknown>>;
  say(`    ${origin}: ${size} entries, each hash of the tree recomputed, root ${root}`);
};
