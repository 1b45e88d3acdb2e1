// The list of erased users beside the stores.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { macOf, newMasterKey, providedMasterKeys } from '../../src/infrastructure/keys/master-key.js';
import { ErasureList } from '../../src/operations/erasure-list.js';
import { temporaryDirectory } from '../support/directory.js';

const [key, foreign] = [newMasterKey(), newMasterKey()];
const lineOf = (id: string, by = key) => `${id} ${macOf(by, ['erased', id])}`;

/** Writes a list with these lines. Counts the MACs that are checked. */
const listOf = (lines: readonly string[]) => {
  const file = join(temporaryDirectory(), 'erased.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const known = providedMasterKeys([key]);
  const checked: string[] = [];
  const find = (id: string) => {
    checked.push(id);
    return known.find(id);
  };
  const written = () => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return { list: new ErasureList(file, { ...known, find }), written, checked };
};

describe('the list of erased users', () => {
  const many = Array.from({ length: 2_000 }, () => randomUUID());

  it('takes another user without checking the lines of others', async () => {
    const { list, written, checked } = listOf(many.map((id) => lineOf(id)));
    const added = [randomUUID(), randomUUID()];
    await list.add([...added, ...added]);
    expect(checked).toEqual([]);
    expect(written().slice(many.length)).toEqual(added.map((id) => lineOf(id)));
    expect(await list.read()).toEqual({ proven: [...many, ...added], unproven: [] });
  });

  it.each([
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ['carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
    ['both', (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`],
  ])('has every line although an editor has added %s', async (_, edited) => {
    const [proven, bare] = [[randomUUID(), randomUUID()], randomUUID()];
    const { list } = listOf([...proven.map((id) => lineOf(id)), bare]);
    writeFileSync(list.file, edited(readFileSync(list.file, 'utf8')));
    expect(await list.read()).toEqual({ proven, unproven: [bare] });
  });

  it('takes no user twice, unless a line without a known MAC names the user', async () => {
    const [proven, bare, other, added] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const { list, written, checked } = listOf([
      ...many.map((id) => lineOf(id)),
      lineOf(proven),
      bare,
      lineOf(other, foreign),
    ]);
    expect(await list.read()).toMatchObject({ unproven: [bare, other] });
    checked.length = 0;
    await list.add([proven, bare, other, added]);
    expect(checked).toEqual([key.id, foreign.id]);
    expect(written().slice(many.length + 3)).toEqual([bare, other, added].map((id) => lineOf(id)));
    expect((await list.read()).unproven).toEqual([]);
  });
});
