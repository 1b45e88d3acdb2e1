import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CheckpointDiffers, fileNameOf, saveCheckpoint } from '../../src/transparency/checkpoint-directory.js';
import { temporaryDirectory } from '../support/directory.js';

const note =
  'localhost:3000/audit/log\n42\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— localhost:3000/audit/log AAAA\n';
const checkpoint = { size: 42, note, at: '2026-11-22T23:59:59.999Z' };
const NAME = '2026-11-22-localhost_3000_audit_log-42.checkpoint';

describe('the directory of checkpoints', () => {
  it('has a file that others may read, named after the day, the log and the size', async () => {
    const directory = temporaryDirectory();
    await saveCheckpoint(directory, checkpoint);
    expect(readdirSync(directory)).toEqual([NAME]);
    expect(readFileSync(join(directory, NAME), 'utf8')).toBe(note);
    expect(statSync(join(directory, NAME)).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('accepts the same checkpoint twice', async () => {
    const directory = temporaryDirectory();
    await saveCheckpoint(directory, checkpoint);
    await saveCheckpoint(directory, { ...checkpoint, note: `${note}— witness BBBB\n` });
    expect(readFileSync(join(directory, NAME), 'utf8')).toBe(note);
  });

  it('never overwrites the checkpoint of another tree or a truncated file', async () => {
    const directory = temporaryDirectory();
    for (const present of [note.replace('CsUY', 'CsUZ'), note.slice(0, 30), '']) {
      writeFileSync(join(directory, NAME), present);
      await expect(saveCheckpoint(directory, checkpoint)).rejects.toThrow(CheckpointDiffers);
      expect(readdirSync(directory)).toEqual([NAME]);
      expect(readFileSync(join(directory, NAME), 'utf8')).toBe(present);
    }
  });

  it('is not created, because a share that is not mounted must not look like a directory', async () => {
    const directory = join(temporaryDirectory(), 'share');
    await expect(saveCheckpoint(directory, checkpoint)).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(directory);
    await saveCheckpoint(directory, checkpoint);
    expect(readdirSync(directory)).toEqual([NAME]);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'no directory');
    await expect(saveCheckpoint(directory, checkpoint)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.each([
    ['hospital.example.org/audit/log/2', '2026-11-22-hospital.example.org_audit_log_2-42.checkpoint'],
    ['../../etc/passwd', '2026-11-22-.._.._etc_passwd-42.checkpoint'],
    ['[::1]:3000/audit/log', '2026-11-22-___1__3000_audit_log-42.checkpoint'],
  ])('names the file of %s', (origin, name) =>
    expect(fileNameOf({ ...checkpoint, note: note.replace('localhost:3000/audit/log', origin) })).toBe(name),
  );
});
