// Builds the program before `npm start` and `npm run cli` if its sources have changed since the last build. Plain
// JavaScript, because it also runs after `npm ci --omit=dev`, which installs no compiler. In that case the build must
// exist.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = 'dist/.built';
const COMPILER = 'node_modules/typescript/bin/tsc';
const BUNDLER = fileURLToPath(new URL('bundle.mjs', import.meta.url));
const SOURCES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', BUNDLER];

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const build = () => {
  const isBuilt = run(COMPILER, '-p', 'tsconfig.build.json') && run(BUNDLER);
  if (isBuilt) writeFileSync(BUILT, '');
  else process.exitCode = 1;
};

const run = (...command) => spawnSync(process.execPath, command, { stdio: 'inherit' }).status === 0;

const refuse = () => {
  console.error(
    'The program is not built, or its sources have changed since the last build, and the compiler is not installed. ' +
      'Run `npm ci && npm run build`. You can then remove the compiler with `npm prune --omit=dev`.',
  );
  process.exitCode = 1;
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => join('src', file));
const lastChange = Math.max(...['src', ...sources, ...SOURCES].map(changedAt));
if (changedAt(BUILT) < lastChange) {
  const isBuilt = changedAt('dist/bundle/main.js') > 0;
  const builtAt = Math.max(changedAt('dist/bundle/main.js'), changedAt('dist/.tsbuildinfo'));
  if (existsSync(COMPILER)) build();
  else if (!isBuilt || builtAt < lastChange) refuse();
}
