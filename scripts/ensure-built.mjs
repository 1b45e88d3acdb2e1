// Builds the program before `npm start` and `npm run cli` if its sources have changed since the last build. Plain
// JavaScript, because it also runs after `npm ci --omit=dev`, which installs no compiler. In that case the build must
// exist.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const CONFIGURATION = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/bundle.mjs'];
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => join('src', file));
const lastChange = Math.max(...['src', ...CONFIGURATION, ...sources].map(changedAt));

// The end of a build writes this file.
if (changedAt('dist/.built') < lastChange) {
  if (existsSync('node_modules/typescript')) {
    if (process.stdout.isTTY) console.error('Building the program. This takes some seconds …');
    process.exitCode = spawnSync('npm run --silent build', { shell: true, stdio: 'inherit' }).status ?? 1;
  } else {
    console.error(
      'The program is not built, or its sources have changed since the last build, and the compiler is not installed. ' +
        'Run `npm ci && npm run build`. You can then remove the compiler with `npm prune --omit=dev`.',
    );
    process.exitCode = 1;
  }
}
