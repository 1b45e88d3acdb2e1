// Shows that the history of an approval can be verified without the service, and that a forged decision is found.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { base, callForText, chapter, say } from './client.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Saves the evidence of a profile, verifies the file, and verifies a copy in which the approval is a rejection. */
export const playEvidence = async (profile: string, token: string | undefined): Promise<void> => {
  chapter('An auditor saves the evidence of the approval');
  const evidence = await callForText('GET', `${profile}/history/evidence`);
  const key = (await callForText('GET', '/audit/log/key')).trim();
  const work = mkdtempSync(join(tmpdir(), 'evidence-'));
  const verify = (name: string, text: string, expected: number) => {
    writeFileSync(join(work, name), text);
    run(
      `node verifier/verify.mjs ${name} --key KEY`,
      ['verifier/verify.mjs', join(work, name), '--key', key],
      expected,
    );
  };
  chapter('The evidence is verified without the service');
  verify('evidence.json', evidence, 0);
  chapter('A forged decision is found');
  verify('forged.json', evidence.replaceAll('UserProfileApproved', 'UserProfileRejected'), 1);
  say(`\n  the files are in ${work}`);
  if (token !== undefined) walkLog(key, token);
};

/** Runs a program, prints its output, and throws if it ends with another exit code. */
const run = (label: string, program: readonly string[], expected: number): void => {
  say(`  $ ${label}`);
  const { stdout, stderr, status } = spawnSync(process.execPath, program, { cwd: root, encoding: 'utf8' });
  for (const line of `${stdout}${stderr}`.trimEnd().split('\n')) say(`    ${line}`);
  if (status !== expected) throw new Error(`${label}: exit code ${status}, expected ${expected}`);
};

/** If Go is installed, verifies the whole log with the program of test/go, which shares no code with the service. */
const walkLog = (key: string, token: string): void => {
  const cwd = join(root, 'test/go/walk');
  const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', TOKEN: token };
  if (spawnSync('go', ['list', '-deps', './...'], { cwd, env, stdio: 'ignore' }).status !== 0) return;
  chapter("The library of Go's own module mirror verifies the log");
  const walk = ['run', '.', '-log', `${base}/audit/log/`, '-key', key];
  const { stdout, stderr, status } = spawnSync('go', walk, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the log does not verify: ${stderr}`);
  const { origin, size, root: hash } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  say(`  ${origin}: ${size} entries, each hash of the tree recomputed, root ${hash}`);
};
