// Tests that linters find nothing in the OpenAPI document, and that generated clients compile and work.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { CONSOLE_TYPES, consoleTypes } from '../../scripts/console-types.js';
import type { Callers } from '../../src/http/access/access.js';
import { openApiOf } from '../../src/http/openapi/document.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { groupsOf } from '../../src/http/routes.js';
import { type Caller, newAdministrator } from '../http/support/callers.js';
import { PASSWORD } from '../http/support/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { serverOfThisFile } from '../support/service-of-file.js';

const server = serverOfThisFile({ AUTH: 'required' });
const TOOLS = fileURLToPath(new URL('../../tools/clients/', import.meta.url));
const ROOT = join(TOOLS, '../..');
const TYPES = 'node_modules/@types';
const GENERATED = join(TOOLS, 'generated');
// The tools read and write a few hundred types, several times each.
const timeout = 240_000;
const skipWithoutTools = ({ skip }: TestContext) =>
  skip(
    !existsSync(join(TOOLS, 'node_modules')),
    'the linters and generators are not installed: npm run clients:install',
  );

/** Runs a tool and returns its output, even if the tool fails. */
const run = (program: string, ...given: readonly string[]) => runIn(TOOLS, program, ...given);
const runIn = async (cwd: string, program: string, ...given: readonly string[]): Promise<string> => {
  const started = promisify(execFile)(process.execPath, [resolve(TOOLS, program), ...given], { cwd });
  const { stdout, stderr } = await started.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
};

const npm = (directory: string, ...given: readonly string[]) => promisify(execFile)('npm', given, { cwd: directory });

/** Writes the document for `callers` and returns the path of its file. */
const documentFor = (callers: Callers): string => {
  const app = {} as RouteContext;
  const file = join(temporaryDirectory(), 'openapi.json');
  writeFileSync(file, JSON.stringify(openApiOf(groupsOf(app), callers)));
  return file;
};

describe('the OpenAPI document', { timeout }, () => {
  it('breaks no recommended rule of Redocly or Spectral, in open and in required mode', async (context) => {
    skipWithoutTools(context);
    expect(await run('lint.mjs', documentFor('open'), documentFor('required'))).toBe('');
  });
});

describe('the types of the web client', { timeout }, () => {
  it('are those of the OpenAPI document (npm run console:types updates them)', (context) => {
    skipWithoutTools(context);
    expect(readFileSync(CONSOLE_TYPES, 'utf8')).toBe(consoleTypes());
  });
});

describe('a generated client', { timeout }, () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await newAdministrator(server);
  });

  const codes = ['revision-mismatch', 'protocol-not-found', 'protocol-not-found'];
  const expected = () => [
    `Hospital of ${caller.user.firstName}`,
    ...codes,
    'optional-question-counts',
    'question-without-effect',
    'PUBLISHED',
    3,
    'counted',
  ];
  const signedIn = () => [server.url, caller.email, PASSWORD];

  it('compiles in strict mode, and has a type for every problem that it handles', async (context) => {
    skipWithoutTools(context);
    rmSync(GENERATED, { recursive: true, force: true });
    mkdirSync(GENERATED);
    writeFileSync(join(GENERATED, 'openapi-typescript.ts'), await run('types.mjs', documentFor('required')));
    expect(await run('node_modules/typescript/bin/tsc', '-p', TOOLS)).toBe('');
    expect(JSON.parse(await run('generated/dist/programs/openapi-fetch.js', ...signedIn()))).toEqual(expected());
  });

  it('is a package that installs without a network (npm run client)', async (context) => {
    skipWithoutTools(context);
    const [made, project] = [join(temporaryDirectory(), 'client'), temporaryDirectory()];
    await npm(ROOT, 'run', '--silent', 'client', '--', made);
    writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}');
    const { stdout: packed } = await npm(project, 'pack', '--silent', made);
    await npm(project, 'install', '--offline', '--no-audit', '--no-fund', `./${packed.trim()}`);
    copyFileSync(join(TOOLS, 'programs/package.ts'), join(project, 'program.ts'));
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--typeRoots', join(ROOT, TYPES)];
    const program = [join(project, 'program.ts'), '--outDir', join(project, 'dist'), '--types', 'node', ...options];
    // The compiler must not find the configuration of this repository.
    expect(await runIn(project, join(ROOT, 'node_modules/typescript/bin/tsc'), ...program)).toBe('');
    expect(JSON.parse(await run(join(project, 'dist/program.js'), ...signedIn()))).toEqual(expected());
  });
});
