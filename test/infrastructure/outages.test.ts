import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RightMissing, StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { WrongSettings } from '../../src/infrastructure/fault.js';
import type { Log, StoreFailure } from '../../src/infrastructure/log.js';
import { type Engine, Outages } from '../../src/infrastructure/outages.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';

const GONE = new StoreUnavailable('the vault', new Error('the connection\n  was lost'));

const failure = (more: Partial<StoreFailure> = {}): StoreFailure => ({
  store: 'the vault',
  reason: 'the vault cannot be used: the connection\n  was lost',
  lacksRight: false,
  level: 'warn',
  about: { projection: 'users' },
  text: 'it failed; will retry',
  ...more,
});
const LINE = ['warn', { projection: 'users', reason: failure().reason }, failure().text];

/** Returns a port that accepts connections and never responds. */
const openPort = async (): Promise<number> => {
  const server = createServer((socket) => socket.unref()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Watches an engine with a clock that only `pass` moves. `engine.error` is what the engine responds with. */
const watched = async (more: Partial<Engine> = {}) => {
  const host = `127.0.0.1:${await freePort()}`;
  const lines: unknown[][] = [];
  const noting =
    (level: string) =>
    (...given: unknown[]) =>
      void lines.push([level, ...given]);
  const log = { warn: noting('warn'), error: noting('error'), info: noting('info') } as unknown as Log;
  const engine: { error: Error | undefined } = { error: undefined };
  const ask = async () => {
    if (engine.error !== undefined) throw engine.error;
  };
  let now = 0;
  let waiting: { readonly until: number; readonly end: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((end) => waiting.push({ until: now + ms, end }));
  const outages = new Outages();
  const stores = ['the vault', 'the read models'];
  const watching = { name: 'MongoDB', hosts: [host], without: 'nothing works', stores, ask, ...more };
  outages.watch([watching], log, { now: () => now, wait });
  const settled = async () => {
    for (let turns = 0; turns < 50; turns += 1) await turn();
  };
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000;
      const due = waiting.filter(({ until }) => until <= now);
      waiting = waiting.filter(({ until }) => until > now);
      for (const { end } of due) end();
      await settled();
    }
  };
  return { host, lines, engine, outages, settled, pass };
};

describe('an engine that does not respond', () => {
  it('is one warning with host and cause, and one line with the duration, whatever fails meanwhile', async () => {
    const { host, lines, engine, outages, pass } = await watched();
    engine.error = GONE;
    for (const store of ['the vault', 'the read models', 'the vault'])
      expect(outages.takes(failure({ store }))).toBe(true);
    await eventually(() => expect(lines).toHaveLength(1));
    const begin = ['warn', `MongoDB at ${host} cannot be used, so nothing works: ECONNREFUSED ${host}`];
    expect(lines).toEqual([begin]);
    for (let second = 0; second < 41; second += 1) {
      await pass(1);
      expect(outages.takes(failure())).toBe(true);
    }
    expect(lines).toEqual([begin]);
    engine.error = undefined;
    await pass(10);
    expect(lines).toEqual([begin, ['info', `MongoDB at ${host} can be used again after 41 s`]]);
  });

  it.each([
    ['accepts connections', async () => `127.0.0.1:${await openPort()}`],
    ['is in DNS with its port', async () => 'cluster.example.org'],
    ['has a port that does not exist', async () => '127.0.0.1:99999'],
  ])('has the cause of the client in one line if its host %s', async (_, hostOf) => {
    const { lines, engine, outages } = await watched({ hosts: [await hostOf()] });
    engine.error = GONE;
    outages.takes(failure());
    await eventually(() =>
      expect(lines).toEqual([['warn', expect.stringMatching(/(was lost|ERR_SOCKET_BAD_PORT.*)$/)]]),
    );
  });

  it('is over when nothing has failed for ten seconds, so late calls and refused writes belong to it', async () => {
    const { lines, engine, outages, pass } = await watched({ hosts: [] });
    engine.error = GONE;
    outages.takes(failure());
    await pass(3);
    engine.error = undefined;
    for (let seconds = 0; seconds < 40; seconds += 8) {
      outages.takes(failure());
      await pass(8);
    }
    expect(lines).toHaveLength(1);
    await pass(3);
    expect(lines.slice(1)).toEqual([['info', 'MongoDB can be used again after 35 s']]);
    outages.takes(failure());
    await pass(1);
    expect(lines.slice(2)).toEqual([LINE]);
  });

  it('may throw when it is asked', async () => {
    const ask = () => {
      throw new Error('no client');
    };
    const { lines, outages, settled } = await watched({ hosts: [], ask });
    outages.takes(failure());
    await settled();
    expect(lines).toHaveLength(1);
  });
});

describe('a failure', () => {
  it('gets its line if the engine responds', async () => {
    const { lines, outages, settled } = await watched();
    expect(outages.takes(failure())).toBe(true);
    await settled();
    expect(lines).toEqual([LINE]);
  });

  it('that stays gets one line, and another one if it comes back after a minute', async () => {
    const { lines, outages, pass } = await watched();
    for (let second = 0; second < 90; second += 1) {
      outages.takes(failure());
      await pass(1);
    }
    expect(lines).toEqual([LINE]);
    await pass(61);
    outages.takes(failure());
    await pass(1);
    expect(lines).toEqual([LINE, LINE]);
  });

  it('that is an error is left to the log, and begins an outage', async () => {
    const { lines, engine, outages, pass } = await watched({ hosts: [] });
    engine.error = GONE;
    expect(outages.takes(failure({ level: 'error' }))).toBe(false);
    await pass(1);
    expect(outages.takes(failure({ level: 'error' }))).toBe(false);
    expect(lines).toEqual([['warn', expect.stringMatching(/^MongoDB cannot be used/)]]);
  });

  it('gets its line if the process ends before the engine has responded', async () => {
    const { lines, outages, settled } = await watched({ ask: () => new Promise(() => {}) });
    outages.takes(failure());
    outages.close();
    await settled();
    expect(lines).toEqual([LINE]);
  });

  it('of a store that no engine holds, or after the end, is left to the log', async () => {
    const { lines, engine, outages, pass } = await watched({ hosts: [] });
    expect(outages.takes(failure({ store: 'the event log' }))).toBe(false);
    engine.error = GONE;
    outages.takes(failure());
    await pass(2);
    expect(lines).toHaveLength(1);
    outages.close();
    expect(outages.takes(failure())).toBe(false);
    engine.error = undefined;
    await pass(2);
    expect(lines).toHaveLength(1);
  });
});

describe('a missing right', () => {
  const lacking = (reason: string) => failure({ lacksRight: true, reason });

  it('is one line that names it, however often a call lacks it', async () => {
    const { host, lines, outages, pass } = await watched();
    for (let second = 0; second < 1_200; second += 300) {
      outages.takes(lacking('the user may not read $all'));
      await pass(300);
    }
    outages.takes(lacking('the user may not append to streams'));
    const line = (right: string) => ['warn', `MongoDB at ${host}: ${right}; see "Rights" in docs/operations.md`];
    expect(lines).toEqual([line('the user may not read $all'), line('the user may not append to streams')]);
    await pass(601);
    outages.takes(lacking('the user may not read $all'));
    expect(lines).toHaveLength(3);
  });

  it('is no outage', async () => {
    const { lines, engine, outages, settled } = await watched();
    engine.error = new RightMissing('the vault', 'the user may not read', new Error('no'));
    outages.takes(failure());
    await settled();
    expect(lines).toEqual([LINE]);
  });
});

describe('the settings of an engine', () => {
  const ENGINES_PAGE = expect.stringContaining('docs/operations.md');
  const unsafe = (text: string): WrongSettings => ({ text, isUnsafe: true });
  const safe = (text = ''): WrongSettings => ({ text, isUnsafe: false });
  const watchedSettings = async (...answers: readonly (WrongSettings | Error)[]) => {
    let asked = 0;
    const wrongSettings = async () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? safe();
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const watching = await watched({ wrongSettings, unsafe: 'queue-unsafe' });
    await watching.settled();
    const details = async () => (await watching.outages.faults()).map(({ code, detail }) => `${code} ${detail}`);
    return { ...watching, details, asked: () => asked };
  };

  it.each(['policy is allkeys-lru, not noeviction', 'aof_enabled is 0', 'a is b; d is unknown'])(
    'are one warning and a fault if they are wrong: %s',
    async (wrong) => {
      const { lines, details, pass, asked } = await watchedSettings(unsafe(wrong));
      await pass(1_800);
      expect(asked()).toBe(4);
      expect(lines).toEqual([['warn', ENGINES_PAGE]]);
      expect(`${lines[0]?.[1]}`).toContain(`MongoDB: ${wrong};`);
      expect(await details()).toEqual([`queue-unsafe MongoDB: ${wrong}`]);
    },
  );

  it.each([
    ['unknown', { text: 'policy is unknown', isUnsafe: false }, /policy is unknown/],
    ['hidden', new RightMissing('the vault', "no permissions to run the 'info' command", GONE), /settings are unknown/],
    ['a mere warning', { text: 'the server is not in a replica set', isUnsafe: false }, /not in a replica set/],
  ])('are one warning without a fault if they are %s', async (_, answer, words) => {
    const { lines, details, pass } = await watchedSettings(answer);
    await pass(1_800);
    expect(lines).toEqual([['warn', expect.stringMatching(words)]]);
    expect(await details()).toEqual([]);
  });

  it('are no line while they are right, and one line whenever they change', async () => {
    const { lines, details, pass } = await watchedSettings(safe(), unsafe('a is b'), unsafe('a is b'), safe());
    expect(lines).toEqual([]);
    await pass(600);
    expect([lines.length, await details()]).toEqual([1, ['queue-unsafe MongoDB: a is b']]);
    await pass(600);
    expect(lines).toHaveLength(1);
    await pass(600);
    expect([lines.length, await details()]).toEqual([2, []]);
  });

  it('are asked for again soon while the engine does not respond, and stay as they were', async () => {
    const { lines, details, pass, asked } = await watchedSettings(GONE, GONE, unsafe('a is b'), GONE);
    expect([asked(), lines]).toEqual([1, []]);
    await pass(20);
    expect([asked(), lines.length]).toEqual([3, 1]);
    await pass(900);
    expect([lines.length, await details()]).toEqual([1, ['queue-unsafe MongoDB: a is b']]);
  });

  it('are not asked for after the end', async () => {
    const { outages, pass, asked } = await watchedSettings(safe());
    outages.close();
    await pass(1_800);
    expect(asked()).toBe(1);
  });
});
