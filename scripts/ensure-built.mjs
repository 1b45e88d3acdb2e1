// Builds the program and the web client before `npm start`, each if its sources have changed since its last build. With the
// argument `program`, builds only the program, for `npm run cli`. Plain JavaScript, because it also runs after
// `npm ci --omit=dev`, which installs no compiler. In that case the builds must exist.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

// The end of a build writes the file `built`. `tool`: a package without which it cannot run.
const SHARED = ['package-lock.json', 'tsconfig.json', 'scripts/compressed.mjs'];
const BUILDS = [
  {
    name: 'program',
    built: 'dist/.built',
    folder: 'src',
    others: [...SHARED, 'tsconfig.build.json', 'scripts/bundle.mjs'],
    tool: 'typescript',
  },
  {
    name: 'console',
    built: 'dist/console/.built',
    folder: 'console',
    others: [...SHARED, 'scripts/console-files.mjs'],
    tool: 'vite',
  },
];

const isOutdated = ({ built, folder, others }) => {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = all.filter((file) => !file.startsWith('node_modules')).map((file) => join(folder, file));
  return changedAt(built) < Math.max(...[folder, ...others, ...sources].map(changedAt));
};

const [, , only] = process.argv;
const outdated = BUILDS.filter((each) => (only === undefined || each.name === only) && isOutdated(each));
if (outdated.every(({ tool }) => existsSync(join('node_modules', tool)))) {
  if (outdated.length > 0 && process.stdout.isTTY) console.error('Building the program. This takes some seconds …');
  for (const { name } of outdated) {
    process.exitCode ||= spawnSync(`npm run --silent build:${name}`, { shell: true, stdio: 'inherit' }).status ?? 1;
  }
} else {
  console.error(
    'The program is not built, or its sources have changed since the last build, and the compiler is not installed. ' +
      'Run `npm ci && npm run build`. You can then remove the compiler with `npm prune --omit=dev`.',
  );
  process.exitCode = 1;
}
