// Builds the program and the web client before `npm start`, each if its sources have changed since its last build. With the
// argument `program`, builds only the program, for `npm run cli`. Plain JavaScript, because it also runs after
// `npm ci --omit=dev`, which installs no compiler. In that case the builds must exist.
import { spawnSync } from 'node:child_process';
import { buildNames, canBuild, isBuilt } from './builds.mjs';

const [, , only] = process.argv;
const outdated = buildNames.filter((name) => (only === undefined || name === only) && !isBuilt(name));
if (outdated.every(canBuild)) {
  if (outdated.length > 0 && process.stdout.isTTY) console.error('Building the program. This takes some seconds …');
  for (const name of outdated) {
    process.exitCode ||= spawnSync(`npm run --silent build:${name}`, { shell: true, stdio: 'inherit' }).status ?? 1;
  }
} else {
  console.error(
    'The program is not built, or its sources have changed since the last build, and the compiler is not installed. ' +
      'Run `npm ci && npm run build`. You can then remove the compiler with `npm prune --omit=dev`.',
  );
  process.exitCode = 1;
}
