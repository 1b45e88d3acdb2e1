// Tests what the operator's check finds after one change to the facts or the vault. The check reads no read model, so
// its result is the same if the attacker has rebuilt the read models. grower.suite.ts proves logs on every engine.
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { noteOf, signatureLine, verifierKey } from '../../src/transparency/note.js';
import { copyOfLog, type Row, type SignedLog } from './support/signed-log.js';

const ORIGIN = 'localhost/audit/log';
const SOME = 100;
const rowAt = (rows: readonly Row[], index: number): Row => {
  const row = rows[index];
  if (row === undefined) throw new Error(`the log has no event ${index}`);
  return row;
};
const replacing = (index: number, change: (row: Row) => Partial<Row>) => (rows: readonly Row[]) =>
  rows.with(index, { ...rowAt(rows, index), ...change(rowAt(rows, index)) });
const swapped = (a: number, b: number) => (rows: readonly Row[]) =>
  rows.with(a, rowAt(rows, b)).with(b, rowAt(rows, a));
const invented = (rows: readonly Row[]): Row => ({
  ...rowAt(rows, 0),
  stream: 'specialty-00000000-0000-4000-8000-00000000aaaa',
  id: '00000000-0000-4000-8000-00000000bbbb',
});

// Replaces the first base64 character.
const otherHash = (text: string) => `(CASE substr(${text}, 1, 1) WHEN 'A' THEN 'B' ELSE 'A' END || substr(${text}, 2))`;
const setRecord = (kind: string, path: string, value: string) =>
  `UPDATE records SET value = json_set(value, '${path}', ${value}) WHERE kind = '${kind}'`;
const setState = (path: string, value: string) => setRecord('log-state', path, value);
const setTile = (path: string, value: string) => setRecord('log-tile', path, value);
const keptWith = (note: string) => setRecord('log-checkpoint', '$.note', note);

/** The changes of the vault, each with the expected message. */
const edits: readonly (readonly [what: string, statement: string, message: RegExp])[] = [
  ['a hash of a full tile', setTile('$.hashes', otherHash("value ->> '$.hashes'")), /stored hash at index 0 /],
  ['a full tile that is removed', "DELETE FROM records WHERE kind = 'log-tile'", /tile 0\/0/],
  ['the position of a tile', setTile('$.after', "'7'"), /tile 0\/0/],
  ['the size of the tree', setState('$.size', "value ->> '$.size' - 1"), /records of the audit log/],
  ['the position of the tree', setState('$.position', "'9'"), /position in the state/],
  ['the position of the last tile', setState('$.tileAfter', "'9'"), /tileAfter in the state/],
  ['the edge', setState('$.edge[0]', otherHash("value ->> '$.edge[0]'")), /stored hash at index \d+/],
  ['the edge above', setState('$.edge[1]', otherHash("value ->> '$.edge[1]'")), /edge in the state/],
  ['the size of the checkpoint', setState('$.signed.size', '7'), /^the newest checkpoint in the vault was altered/m],
  [
    'the checkpoint',
    setState('$.signed.note', "replace(value ->> '$.signed.note', '/audit/log', '/audit/lag')"),
    /was altered/,
  ],
  [
    'the cosigned checkpoint',
    setState('$.cosigned', "json_object('size', 1, 'note', 'forged', 'cosignatures', json_array(), 'at', '2026')"),
    /^the cosigned checkpoint in the vault was altered/m,
  ],
  ['the origin', setState('$.origin', "'x'"), /^the newest checkpoint in the vault was altered/m],
  [
    'no state',
    "DELETE FROM records WHERE kind = 'log-state'",
    /covers 0 events, but the keys in the vault have signed more/,
  ],
  [
    'no records but the key',
    "DELETE FROM records WHERE kind LIKE 'log-%' AND kind <> 'log-key'",
    /covers 0 events, but the keys in the vault have signed more/,
  ],
  ['the tree of a key', setRecord('log-key', '$[0].signed.size', '0'), /^the key .* was not stored by the service/m],
  ['a kept checkpoint', keptWith("replace(value ->> '$.note', '=', 'A')"), /^the checkpoint kept at .* was altered/m],
  ['no keys', "DELETE FROM records WHERE kind = 'log-key'", /was altered, or belongs to another log/],
];

/** Returns the newest kept checkpoint of a log. */
const noteIn = ({ directory }: SignedLog): string => {
  const db = new Database(join(directory, 'vault.sqlite'));
  const notes = db.prepareValue<[], string>(
    "SELECT value ->> '$.note' FROM records WHERE kind = 'log-checkpoint' ORDER BY key",
  );
  const note = notes.all().at(-1) ?? '';
  db.close();
  return note;
};

/** The changes of the events, each with the index of the first event that differs. */
const attacks: readonly (readonly [what: string, change: (rows: readonly Row[]) => readonly Row[], index: number])[] = [
  ['one character of a payload', replacing(SOME, ({ data }) => ({ data: data.replace('"', '"x') })), SOME],
  [
    'the actor of an event',
    replacing(SOME, ({ metadata }) => ({ metadata: metadata.replace('anonymous', 'x') })),
    SOME,
  ],
  ['the type of an event', replacing(SOME, () => ({ type: 'UserErased' })), SOME],
  ['the first event', replacing(0, () => ({ type: 'UserErased' })), 0],
  ['an event inserted', (rows) => rows.toSpliced(SOME, 0, invented(rows)), SOME],
  ['an event removed', (rows) => rows.toSpliced(SOME, 1), SOME],
  ['two events swapped', swapped(SOME, SOME + 1), SOME],
  ['two events of different tiles swapped', swapped(20, 300), 20],
];

describe('prove', () => {
  const faultsAfter = async (change: (log: SignedLog) => void) => {
    const log = await copyOfLog('late');
    change(log);
    return (await log.prove()).faults;
  };

  it('finds nothing in an unchanged log, and counts the events that are not signed yet', async () => {
    const log = await copyOfLog('early');
    expect(await log.prove()).toMatchObject({ unsigned: 0, faults: [] });
    const late = await (await copyOfLog('late')).prove();
    expect(late.faults).toEqual([]);
    expect(late.events).toBeGreaterThan(256);
    expect(late.checkpoints).toBeGreaterThan(2);
    await log.append(3);
    expect(await log.prove()).toMatchObject({ unsigned: 3, faults: [] });
  });

  it.each(attacks)('names the first event that differs: %s', async (_, change, index) => {
    const log = await copyOfLog('late');
    let place = '';
    log.rewrite((rows) => {
      const changed = change(rows);
      const { stream, revision, id } = rowAt(changed, index);
      place = `event ${id} of ${stream}, revision ${revision}`;
      return changed;
    });
    const [first] = (await log.prove()).faults;
    expect(first).toContain(`at index ${index} `);
    expect(first).toContain(place);
  });

  it('says how many events are missing at the end', async () => {
    const [first] = await faultsAfter((log) => log.rewrite((rows) => rows.slice(0, 200)));
    expect(first).toMatch(/^the log ends at index 199, .*: it has 200 events, but the audit log has \d+, so \d+ are/);
    const [none] = await faultsAfter((log) => log.rewrite(() => []));
    expect(none).toMatch(/^the log is empty: it has 0 events/);
  });

  it('finds older facts beside a newer vault, even if the service has recorded more events since', async () => {
    const early = await copyOfLog('early');
    expect(await faultsAfter((log) => log.rollBack(early, ['facts']))).toEqual([
      expect.stringContaining('are missing'),
    ]);
    const { events } = await early.prove();
    const recording = await copyOfLog('late');
    recording.rollBack(early, ['facts']);
    await recording.append(400);
    expect((await recording.prove()).faults[0]).toContain(`at index ${events} `);
  });

  it('finds facts and vault that were rolled back together only with a checkpoint from elsewhere', async () => {
    const [early, late] = [await copyOfLog('early'), await copyOfLog('late')];
    const note = noteIn(late);
    late.rollBack(early, ['facts', 'vault']);
    expect((await late.prove()).faults).toEqual([]);
    const { faults } = await late.prove({ copies: [{ name: 'share/copy', note }] });
    expect(faults.join('\n')).toContain('are missing');
    expect(faults.join('\n')).toMatch(
      /^share\/copy covers \d+ events, but the newest checkpoint in the vault covers \d+/m,
    );
  });

  it('finds a rewritten log that was signed with a foreign key', async () => {
    const log = await copyOfLog('late');
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const strange = verifierKey(ORIGIN, publicKey);
    log.editVault(
      `UPDATE records SET value = json_insert(value, '$[#]', json_object('origin', '${ORIGIN}', 'verifierKey', '${strange}',
       'madeAt', '2026-01-01T00:00:00.000Z', 'sealed', NULL, 'voucher', value ->> '$[0].voucher')) WHERE kind = 'log-key'`,
    );
    const text = `${ORIGIN}\n1\n${Buffer.alloc(32).toString('base64')}\n`;
    const note = noteOf(text, [signatureLine(text, ORIGIN, privateKey)]);
    log.editVault(
      setState('$.signed', `json_object('size', 1, 'note', '${note}', 'cosignatures', json_array(), 'at', '2026')`),
    );
    const faults = (await log.prove()).faults.join('\n');
    expect(faults).toContain(`the key ${strange} in the vault was not stored by the service`);
    expect(faults).toMatch(/^the newest checkpoint in the vault was altered/m);
  });

  it('accepts a checkpoint from elsewhere only if it was signed with a key of the log', async () => {
    const log = await copyOfLog('late');
    const note = noteIn(log);
    expect((await log.prove({ copies: [{ name: 'copy', note }] })).faults).toEqual([]);
    for (const altered of [note.replace('\n\n', '\nx\n\n'), note.slice(0, -5), '']) {
      const { faults } = await log.prove({ copies: [{ name: 'copy', note: altered }] });
      expect(faults).toEqual([expect.stringMatching(/^copy was altered/)]);
    }
  });

  it('names the checkpoints around an altered event if its stored hash was altered, too', async () => {
    const faults = await faultsAfter((log) => {
      log.rewrite(replacing(SOME, () => ({ type: 'UserErased' })));
      log.editVault("DELETE FROM records WHERE kind = 'log-tile'");
    });
    expect(faults.join('\n')).toMatch(/^an event between index \d+ and \d+ differs/m);
  });

  it.each(edits)('finds an altered vault, and names no event as altered: %s', async (_, statement, message) => {
    const faults = await faultsAfter((log) => log.editVault(statement));
    expect(faults.join('\n')).toMatch(message);
    expect(faults.join('\n')).not.toMatch(/^(the|an) event /m);
  });
});
