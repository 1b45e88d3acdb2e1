// Runs wrk: one thread of C, which sends several times as many requests a second as a service of one thread serves.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childCpuSeconds } from './cpu.js';

/** A request to repeat. */
export interface Repeated {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  /** An access token. */
  readonly token?: string;
}

/** The options of a run. The connections take the requests in turn, from the first to the last and again. */
export interface Run {
  readonly url: string;
  readonly requests: readonly Repeated[];
  readonly connections: number;
  readonly seconds: number;
}

/** What a run reports. Latencies are in microseconds. */
interface Reported {
  readonly microseconds: number;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  /** The responses with a status above 399. No measured server redirects. */
  readonly refused: number;
  /** The connections, reads and writes that failed, and the responses after `TIMEOUT`. */
  readonly broken: number;
}

const TIMEOUT = '10s';

/** Returns the headers of a request. */
export const headersOf = ({ body, token }: Repeated): Readonly<Record<string, string>> => ({
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});

// JSON text has no control characters, so a JSON string of it is also a string of Lua.
const luaRequest = (request: Repeated): string => {
  const { method, path, body } = request;
  const headers = Object.entries(headersOf(request)).map(([name, value]) => `[${luaText(name)}] = ${luaText(value)}`);
  const text = body === undefined ? 'nil' : luaText(JSON.stringify(body));
  return `wrk.format(${luaText(method)}, ${luaText(path)}, { ${headers.join(', ')} }, ${text})`;
};

const luaText = (text: string): string => JSON.stringify(text);

// A function of Lua may refer to a limited number of constants, so each request is made in its own.
const scriptOf = (requests: readonly Repeated[]): string => `
local makers = {
${requests.map((request) => `  function() return ${luaRequest(request)} end,`).join('\n')}
}
local texts, at = {}, 0
function init(args)
  for n, make in ipairs(makers) do texts[n] = make() end
end
function request()
  at = at % #texts + 1
  return texts[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\n{"microseconds":%d,"requests":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\\n',
    summary.duration, summary.requests, latency:percentile(50), latency:percentile(99),
    e.status, e.connect + e.read + e.write + e.timeout))
end
`;

/** Runs wrk to its end. Returns its report and the CPU seconds that it used. Rejects if a request failed. */
export const runWrk = async ({ url, requests, connections, seconds }: Run) => {
  const directory = mkdtempSync(join(tmpdir(), 'wrk-'));
  const script = join(directory, 'requests.lua');
  try {
    writeFileSync(script, scriptOf(requests));
    const before = childCpuSeconds();
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', TIMEOUT, '-s', script, url];
    const reported = JSON.parse((await outputOf(options)).trim().split('\n').at(-1) ?? '') as Reported;
    const { refused, broken } = reported;
    if (refused + broken > 0) throw new Error(`${url}: ${refused} requests were refused, ${broken} broke`);
    return { ...reported, cpuSeconds: childCpuSeconds() - before };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const outputOf = async (options: readonly string[]): Promise<string> => {
  const child = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const output = Buffer.concat(chunks).toString();
  if (code !== 0) throw new Error(`wrk exited with code ${code}: ${output}`);
  return output;
};

/** Returns the version of wrk, which prints it and exits with 1. */
export const wrkVersion = (): string => {
  const { stdout } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown';
};
