// docs/web-client.md is run: its commands by bash against a server of this test, in the order of the page.
import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { problemKinds } from '../../src/http/kernel/problem-kinds.js';
import { Bash, missingProgram } from '../support/bash.js';
import { clockAhead } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { programFile } from '../support/process.js';
import { Server } from '../support/server.js';
import { missingFrom, stepsIn } from '../support/shell-document.js';

const page = readFileSync(new URL('../../docs/web-client.md', import.meta.url), 'utf8');
const [start, ...steps] = stepsIn(page);

const TOOL = /^(.*)npm run --silent cli -- /m;
const SLEEP = /^sleep (\d+)$/m;

/** Types the commands of the page; what takes long there, or builds the service anew, is done otherwise. */
class Reader {
  readonly #server: Server;
  readonly #bash: Bash;

  constructor() {
    const directory = temporaryDirectory();
    this.#server = new Server(join(directory, 'data'), { AUTH: 'required', RATE_LIMITS: '1' });
    const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    this.#bash = new Bash(directory, { PATH, TMPDIR: directory });
  }

  async start(): Promise<void> {
    mkdirSync(this.#server.directory);
    await this.#server.start();
  }

  async type(commands: string): Promise<string> {
    const [, seconds] = SLEEP.exec(commands) ?? [];
    if (seconds !== undefined) await this.#wait(Number(seconds));
    const tool = `$1${process.execPath} ${programFile('cli')} `;
    const address = 'http://127.0.0.1:3000';
    return this.#bash.run(commands.replace(SLEEP, '').replace(TOOL, tool).replace(address, this.#server.url));
  }

  async end(): Promise<void> {
    await this.#bash.end();
    await this.#server.stop();
  }

  async #wait(seconds: number): Promise<void> {
    await this.#server.restart(clockAhead(seconds * 1_000));
    await this.#bash.run(`BASE=${this.#server.url}`);
  }
}

const runThePage = () =>
  describe('every answer that it shows is the one that comes', () => {
    const reader = new Reader();
    beforeAll(() => reader.start());
    afterAll(() => reader.end());

    it.each(steps.map((step, index) => ({ name: `${index + 1}, ${step.section}`, ...step })))(
      'step $name',
      async ({ commands, shown }) => {
        const output = await reader.type(commands);
        const missing = shown === undefined ? undefined : missingFrom(output, shown);
        expect(missing, `not in what came:\n${output}`).toBeUndefined();
      },
    );
  });

describe('docs/web-client.md', () => {
  it('begins with the start of a service where callers must sign in', () => {
    expect(start?.commands).toBe('AUTH=required npm start\n');
  });

  const reason = missingProgram('bash', 'curl');
  if (reason === undefined) runThePage();
  else it('is run', ({ skip }) => skip(reason));

  it('names every address of signing in and of the web client, and no other', () => {
    const served = allRoutes.map(nameOf).filter((name) => /^\w+ \/(auth-service|api)\//.test(name));
    const named = [...page.matchAll(/^\|[ \d]+\| `(\w+ \/[^?`]+)/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(served.toSorted());
  });

  it('says what to do about every refusal that it names, by its code and status', () => {
    const [, addresses = '', refusals = ''] = page.split(/^## (?:The addresses|What to do about a refusal)$/m);
    const advised = [...refusals.matchAll(/^\| (\d{3}) ([^|]+)\|/gm)].flatMap(([, status, codes = '']) =>
      codesIn(codes).map((code) => [code, Number(status)] as const),
    );
    const known = new Map<string, number>(Object.entries(problemKinds).map(([code, { status }]) => [code, status]));
    for (const [code, status] of advised) expect([code, known.get(code)]).toEqual([code, status]);
    const named = codesIn(addresses).filter((word) => known.has(word));
    const without = named.filter((code) => advised.every(([one]) => one !== code));
    expect([named.length > 10, without]).toEqual([true, []]);
  });
});

const codesIn = (text: string): readonly string[] => [...text.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code);
