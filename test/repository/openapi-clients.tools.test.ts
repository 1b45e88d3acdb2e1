// Tests that linters find nothing in the OpenAPI document, and that generated clients compile and work.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
const GENERATED = join(TOOLS, 'generated');
// The tools read and write a few hundred types, several times each.
const timeout = 240_000;
const skipWithoutTools = ({ skip }: TestContext) =>
  skip(
    !existsSync(join(TOOLS, 'node_modules')),
    'the linters and generators are not installed: npm run clients:install',
  );

/** Runs a tool and returns its output, even if the tool fails. */
const run = async (program: string, ...given: readonly string[]): Promise<string> => {
  const started = promisify(execFile)(process.execPath, [join(TOOLS, program), ...given], { cwd: TOOLS });
  const { stdout, stderr } = await started.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
};

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

  it('compiles in strict mode, and has a type for every problem that it handles', async (context) => {
    skipWithoutTools(context);
    rmSync(GENERATED, { recursive: true, force: true });
    expect(await run('generate.mjs', documentFor('required'), GENERATED)).toBe('');
    expect(await run('node_modules/typescript/bin/tsc', '-p', TOOLS)).toBe('');
    for (const program of ['openapi-fetch', 'hey-api']) {
      const out = await run(`generated/dist/programs/${program}.js`, server.url, caller.email, PASSWORD);
      const codes = ['revision-mismatch', 'protocol-not-found', 'protocol-not-found'];
      expect([program, JSON.parse(out)]).toEqual([program, [`Hospital of ${caller.user.firstName}`, ...codes]]);
    }
  });
});
