// npm run release:record -- NAME: starts the built service on an empty directory, makes requests that record events of
// every type that clients can cause, stops the service, and keeps its files and responses in test/releases/NAME.
// Every later version must open these files and return the same responses (test/releases/releases.e2e.test.ts). PROGRAM
// names a build other than ./dist, to record a version that was released earlier.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { live } from './release/life.js';
import { responsesOf } from './release/responses.js';
import { startService } from './release/service.js';

const [name] = process.argv.slice(2);
if (name === undefined || !/^[\w.-]+$/.test(name)) throw new Error('usage: npm run release:record -- NAME');

const target = resolve('test/releases', name);
mkdirSync(target);
const directory = mkdtempSync(join(tmpdir(), 'release-'));
const program = resolve(process.env['PROGRAM'] ?? 'dist');
const service = await startService(program, directory);
try {
  const readers = await live(service);
  const responses = await responsesOf(service, readers);
  writeFileSync(join(target, 'responses.json.gz'), gzipSync(JSON.stringify(responses, null, 1), { level: 9 }));
} finally {
  await service.stop();
}
execFileSync(process.execPath, [join(program, 'cli.js'), 'verify'], {
  env: { ...process.env, DATA_DIR: directory },
  stdio: 'inherit',
});
for (const file of readdirSync(directory)) {
  const path = join(directory, file);
  if (!statSync(path).isFile() || /-(wal|shm)$|^owner\./.test(file)) continue;
  writeFileSync(join(target, `${file}.gz`), gzipSync(readFileSync(path), { level: 9 }));
}
rmSync(directory, { recursive: true });
console.log(`recorded in ${target}: ${readdirSync(target).join(', ')}`);
