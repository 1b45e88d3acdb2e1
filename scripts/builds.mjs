// The builds of the service, and whether the sources of each have changed since its last build. Compares contents, because
// git, copies of a directory and `npm prune` change the times of files that stay the same.
// Plain JavaScript, because `npm start` calls it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SHARED = ['package-lock.json', 'tsconfig.json', 'scripts/builds.mjs', 'scripts/compressed.mjs'];

/**
 * The builds by name. `built`: the file that the end of a build writes. `folder`, `others`: its sources. `tool`: a package
 * that it needs, and that `npm ci --omit=dev` does not install.
 */
const BUILDS = {
  program: {
    built: 'dist/.built',
    folder: 'src',
    others: [...SHARED, 'tsconfig.build.json', 'scripts/bundle.mjs', 'verifier/index.html'],
    tool: 'esbuild',
  },
  console: {
    built: 'dist/console/.built',
    folder: 'console',
    others: [...SHARED, 'scripts/console-files.mjs'],
    tool: 'vite',
  },
};

export const buildNames = Object.keys(BUILDS);

/** Returns the hash of the sources of a build. */
const hashOf = ({ folder, others }) => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of [...others, ...files.filter((file) => !file.includes('node_modules')).sort()]) {
    hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
};

/** Returns whether a build is current. An installation without sources, such as the image, has nothing newer than its build. */
export const isBuilt = (name) => {
  const build = BUILDS[name];
  if (!existsSync(build.built)) return false;
  return !existsSync(build.folder) || readFileSync(build.built, 'utf8') === hashOf(build);
};

/** Returns whether the packages are installed that a build needs. */
export const canBuild = (name) => existsSync(join('node_modules', BUILDS[name].tool));

/** Records that a build has ended. */
export const recordBuilt = (name) => writeFileSync(BUILDS[name].built, hashOf(BUILDS[name]));
