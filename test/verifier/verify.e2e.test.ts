// Tests the verifier as a program: its exit codes, and that it never prints a stack trace.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { consistencyOf } from '../support/rfc6962.js';
import { HandMadeLog, Signer } from './support/hand-made-log.js';
import { RITA, Sample, textOf } from './support/sample-evidence.js';
import { runVerifier, verifierFile } from './support/verifier.js';

const sample = new Sample();
const key = sample.log.signer.verifierKey();
const directory = temporaryDirectory();

const written = (name: string, content: string | Uint8Array): string => {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
};

/** Writes a bundle as `audit export` does. */
const bundleOf = (name: string, lines: readonly string[], checkpoint: string): string => {
  const bundle = join(directory, name);
  mkdirSync(bundle);
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(bundle, 'events.jsonl'), text);
  writeFileSync(join(bundle, 'manifest.json'), JSON.stringify({ events: lines.length, sha256 }));
  writeFileSync(join(bundle, 'checkpoint'), checkpoint);
  return bundle;
};

const expectEnd = async (code: number, what: RegExp, ...given: readonly string[]) => {
  const { code: is, out, err } = await runVerifier(...given);
  expect([is, out, err]).toEqual([code, expect.stringMatching(what), '']);
  expect(out).not.toMatch(/^\s+at /m);
};

describe('node verify.mjs EVIDENCE', () => {
  const evidence = written('evidence.json', textOf(sample.evidence()));

  it('prints the history and the verdict', () =>
    expectEnd(
      0,
      /Ana Souza[\s\S]*\nVERIFIED UP TO REVISION 5: this evidence is authentic\. .*\n$/,
      evidence,
      '--key',
      key,
    ));

  it('exits with 1 if the evidence does not hold', async () => {
    const altered = sample.evidence();
    const file = written('altered.json', textOf({ ...altered, events: altered.events.slice(1) }));
    await expectEnd(1, /^NOT VERIFIED: revision 0 /, file, '--key', key);
    await expectEnd(1, /^NOT VERIFIED: .* not signed with a key/, evidence, '--key', new Signer('x').verifierKey());
  });

  it.each<[string, Uint8Array | string]>([
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['something else', '{"format": "x"}'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['deep', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['wrong kinds', textOf({ ...sample.evidence(), events: 7 })],
    ['wrong entries', textOf({ ...sample.evidence(), events: [null, {}] })],
    ['wrong proofs', textOf({ ...sample.evidence(), events: [{ ...sample.evidence().events[0], proof: {} }] })],
    ['short hashes', textOf(sample.evidence()).replace(/"proof": \[\s*"[^"]+"/, '"proof": ["AAAA"')],
    ['no checkpoint', textOf({ ...sample.evidence(), checkpoint: 7 })],
  ])('exits with 2 for a file with %s', async (name, content) => {
    await expectEnd(
      2,
      /^NOT VERIFIED: a file or an argument cannot be read: /,
      written(`${name}.json`, content),
      '--key',
      key,
    );
  });

  it.each([
    [[evidence]],
    [['--key', key]],
    [[evidence, '--key']],
    [[evidence, '--key', 'x']],
    [[evidence, evidence, '--key', key]],
    [[evidence, '--key', key, '--what']],
    [[evidence, '--key', key, '--help']],
    [['--help', evidence]],
    [[join(directory, 'none.json'), '--key', key]],
    [[evidence, evidence, '--proof', join(directory, 'none'), '--key', key]],
  ])('exits with 2 for other arguments: %j', (given) => expectEnd(2, /^NOT VERIFIED: .* cannot be read: /, ...given));

  it('prints the usage on request, or without arguments', async () => {
    const usage =
      /node verify\.mjs EVIDENCE\.json --key KEY[\s\S]*node verify\.mjs OLD NEW --proof FILE[\s\S]*\nExit codes: .* 3 a bundle is verified only in part/;
    await expectEnd(0, usage, '--help');
    await expectEnd(2, /^Verifies files[\s\S]*node verify\.mjs BUNDLE/);
  });
});

describe('node verify.mjs BUNDLE', () => {
  const lines = sample.log.lines();
  const checkpoint = sample.log.checkpoint();
  const changedLine = (at: number, change: (line: string) => string) =>
    lines.map((line, each) => (each === at ? change(line) : line));
  const other = (line: string) => line.replace('"enabled":true', '"enabled":false');
  let whole: string;
  beforeAll(() => {
    whole = bundleOf('whole', lines, checkpoint);
  });

  it('holds for an unchanged bundle, also with older checkpoints', async () => {
    await expectEnd(0, /\nVERIFIED: this bundle of 12 events is authentic and complete\n$/, whole, '--key', key);
    const older = [3, 7].map((size) => written(`checkpoint-${size}`, sample.log.checkpoint(size)));
    await expectEnd(
      0,
      /log .*, 3 events\n[\s\S]*log .*, 7 events\nVERIFIED: .*complete\n$/,
      whole,
      ...older,
      '--key',
      key,
    );
  });

  /** Returns how often the verifier hashes. */
  const hashesFor = async (...given: readonly string[]): Promise<number> => {
    const counting = `const { digest } = SubtleCrypto.prototype;
    let count = 0;
    SubtleCrypto.prototype.digest = function (...given) {
      count += 1;
      return digest.apply(this, given);
    };
    process.on('exit', () => console.error(count));`;
    const preloaded = ['--import', `data:text/javascript,${encodeURIComponent(counting)}`, verifierFile];
    return Number((await promisify(execFile)(process.execPath, [...preloaded, ...given])).stderr);
  };

  it('holds for a checkpoint of each size, which takes a few hashes more and not those of a whole tree', async () => {
    const every = lines.map((_, at) => written(`of-${at + 1}`, sample.log.checkpoint(at + 1)));
    const none = written('of-0', sample.log.checkpoint(0));
    await expectEnd(0, /\nVERIFIED: this bundle of 12 events/, whole, none, ...every, '--key', key);
    const [one, all] = [await hashesFor(whole, '--key', key), await hashesFor(whole, ...every, '--key', key)];
    // The name of the key takes two in each checkpoint, and the tree is less than four levels high.
    expect(all - one).toBeLessThanOrEqual(every.length * (2 + 3));
    expect(one).toBeGreaterThan(2 * lines.length);
  });

  it.each([1, 5, 8, 11])('is not verified if an older checkpoint, of %i events, is of other events', async (size) => {
    const altered = sample.log
      .checkpoint(size)
      .replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${Buffer.alloc(32, size).toString('base64')}\n`);
    const body = altered.slice(0, altered.indexOf('\n\n') + 1);
    const forged = written(`forged-${size}`, `${body}\n${sample.log.signer.line(body)}`);
    const others = [3, 12].map((each) => written(`beside-${size}-${each}`, sample.log.checkpoint(each)));
    await expectEnd(
      1,
      new RegExp(`the first ${size} events are not those that`),
      whole,
      ...others,
      forged,
      '--key',
      key,
    );
  });

  it('is not verified if its last events are after every checkpoint: 3, with their number in the last line', async () => {
    const ahead = bundleOf('ahead', lines, sample.log.checkpoint(9));
    const partly =
      /^log .*, 9 events\nNOT VERIFIED: 3 of 12 events are after the newest checkpoint; the first 9 are authentic and complete\n$/;
    await expectEnd(3, partly, ahead, '--key', key);
    const [older, newer] = [3, 12].map((size) => written(`with-${size}`, sample.log.checkpoint(size)));
    await expectEnd(3, /3 of 12 events are after/, ahead, `${older}`, '--key', key);
    await expectEnd(0, /\nVERIFIED: this bundle of 12 events is/, ahead, `${newer}`, '--key', key);
    const first = bundleOf('first', lines.slice(0, 2), sample.log.checkpoint(1));
    await expectEnd(
      3,
      /: 1 of 2 events is after the newest checkpoint; the first 1 are authentic/,
      first,
      '--key',
      key,
    );
  });

  it('is not verified if somebody appended an event and corrected the manifest', async () => {
    const copy = { ...JSON.parse(lines.at(-1) ?? ''), stream: 'user-forged', category: 'user', revision: 0 };
    const forged = bundleOf('forged', [...lines, JSON.stringify(copy)], checkpoint);
    await expectEnd(3, /\nNOT VERIFIED: 1 of 13 events is after .*; the first 12 are/, forged, '--key', key);
  });

  it('does not hold if a covered event was changed, even if others are not covered', async () => {
    const changed = bundleOf('changed-ahead', changedLine(1, other), sample.log.checkpoint(9));
    await expectEnd(1, /^NOT VERIFIED: the first 9 events are not those/, changed, '--key', key);
  });

  it('is not verified if it has no events, with or without a checkpoint', async () => {
    const none = bundleOf('none', [], sample.log.checkpoint(0));
    await expectEnd(1, /^NOT VERIFIED: the bundle has no events, .*\n$/, none, '--key', key);
    rmSync(join(none, 'checkpoint'));
    await expectEnd(1, /^NOT VERIFIED: the bundle has no events, .*\n$/, none, '--key', key);
    const emptied = bundleOf('emptied', [], checkpoint);
    await expectEnd(1, /^NOT VERIFIED: the bundle has no events, .*\n$/, emptied, '--key', key);
  });

  /** Returns the lines with one line that shows other members. */
  const showing = (change: (line: Record<string, unknown>) => object) =>
    changedLine(6, (line) => JSON.stringify(change(JSON.parse(line))));
  const rita = { id: RITA, roles: ['ADMINISTRATOR'] };
  it.each<[string, readonly string[], number]>([
    [
      'another actor',
      showing(({ actor, ...line }) => ({ ...line, actor: { ...rita, id: 'x' }, metadata: { actor } })),
      1,
    ],
    ['another time', showing(({ at, ...line }) => ({ ...line, at: '2026', metadata: { at } })), 1],
    [
      'a session that was not recorded',
      showing((line) => ({ ...line, sessionId: 's', metadata: { sessionId: null } })),
      1,
    ],
    ['another category', showing((line) => ({ ...line, category: 'auditRead' })), 1],
    ['an unknown member', showing((line) => ({ ...line, by: RITA })), 1],
    ['an actor twice', changedLine(6, (line) => line.replace('{', `{"actor":${JSON.stringify(rita)},`)), 2],
  ])('does not hold if a line shows %s', async (name, altered, code) => {
    await expectEnd(code, /line 7 (shows|is not JSON)/, bundleOf(name, altered, checkpoint), '--key', key);
  });

  it('is not verified if no checkpoint covers an event', async () => {
    const bare = bundleOf('bare', lines, sample.log.checkpoint(0));
    await expectEnd(1, /^NOT VERIFIED: no checkpoint covers an event/, bare, '--key', key);
  });

  it('holds for metadata that other programs recorded', async () => {
    const log = new HandMadeLog();
    log.append({ stream: 'specialty-1', type: 'SpecialtyCreated', metadata: { tenant: 't', address: null } });
    const bundle = bundleOf('foreign', log.lines(), log.checkpoint());
    await expectEnd(
      0,
      /\nVERIFIED: this bundle of 1 event is authentic and complete\n$/,
      bundle,
      '--key',
      log.signer.verifierKey(),
    );
  });

  it('does not hold if a given witness has not cosigned', async () => {
    const witness = ['--key', key, '--witness', sample.witness.verifierKey()];
    await expectEnd(1, /is not cosigned by witness\.example\.org/, whole, ...witness);
    const cosigned = bundleOf('cosigned', lines, sample.log.checkpoint(undefined, [sample.witness]));
    await expectEnd(0, /cosigned by witness\.example\.org[\s\S]*\nVERIFIED: .*\n$/, cosigned, ...witness);
  });

  const revised = lines.findIndex((line) => /"revision":[1-9]/.test(line));
  const replaced = (member: object) =>
    changedLine(revised, (line) => JSON.stringify({ ...JSON.parse(line), ...member }));
  const dated = replaced({ at: '1999-01-01T00:00:00.000Z' });
  const positioned = replaced({ position: '' });
  it.each<[string, readonly string[], RegExp]>([
    ['changed', changedLine(1, other), /first 12 events are not those/],
    ['removed', lines.slice(0, -1), /has 11 events/],
    ['removed from a stream', lines.filter((_, at) => at !== 4), /is not the next revision/],
    ['given an earlier time', dated, /is not later than the events before it/],
    ['moved before the line above it', positioned, /is not later than the events before it/],
    ['swapped', [...lines.slice(0, 8), ...lines.slice(8, 10).toReversed(), ...lines.slice(10)], /is not later/],
  ])('does not hold if an event was %s', async (name, altered, what) => {
    await expectEnd(1, what, bundleOf(name, altered, checkpoint), '--key', key);
  });

  it('does not hold if the manifest belongs to another file', async () => {
    const bundle = bundleOf('manifest', lines, checkpoint);
    writeFileSync(join(bundle, 'manifest.json'), JSON.stringify({ events: lines.length, sha256: '0'.repeat(64) }));
    await expectEnd(1, /manifest/, bundle, '--key', key);
  });

  it('exits with 2 if the bundle has no checkpoint', async () => {
    const bare = bundleOf('without-checkpoint', lines, checkpoint);
    rmSync(join(bare, 'checkpoint'));
    await expectEnd(2, /checkpoint/, bare, '--key', key);
    await expectEnd(2, /events\.jsonl/, directory, '--key', key);
  });
});

describe('node verify.mjs OLD NEW --proof FILE', () => {
  const proofFile = (log: HandMadeLog, old: number) =>
    written(
      'proof',
      consistencyOf(old, log.leaves)
        .map((hash) => `${hash.toString('base64')}\n`)
        .join(''),
    );

  it('holds only if the new log begins with the old one', async () => {
    const [old, now] = [written('old', sample.log.checkpoint(5)), written('new', sample.log.checkpoint())];
    await expectEnd(
      0,
      /\nVERIFIED: this log begins with the 5 events of the older checkpoint\n$/,
      old,
      now,
      '--proof',
      proofFile(sample.log, 5),
      '--key',
      key,
    );
    await expectEnd(1, /cannot begin/, now, old, '--proof', proofFile(sample.log, 5), '--key', key);
    await expectEnd(1, /proof|rewritten/, old, now, '--proof', proofFile(sample.log, 6), '--key', key);
  });
});
