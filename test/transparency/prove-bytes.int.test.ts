// Changes one byte in a copy of the facts file. The operator's check must find the change, unless the change has no
// effect.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aggregates } from '../../src/domain/all.js';
import { canonicalJson } from '../../src/infrastructure/canonical-json.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { integrityFaults } from '../../src/infrastructure/sqlite/integrity.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { prove } from '../../src/transparency/prove.js';
import { temporaryDirectory } from '../support/directory.js';
import { Random } from '../support/random.js';
import { repetitions } from '../support/repetitions.js';
import { serviceKey } from './support/growing.js';
import { copyOfLog, type Row } from './support/signed-log.js';

const FACTS = 'facts.sqlite';
// The header, the schema and the root of the table: a few bytes on which everything else depends.
const FIRST_PAGES = 8_192;

interface StoredRow extends Row {
  readonly position: number;
}

/** Returns everything that the service can read from a file as one text, without the code of the service. */
const contentOf = (file: string): string => {
  const db = new Database(file, { readOnly: true });
  try {
    const rows = db.prepare<[], StoredRow>('SELECT * FROM events ORDER BY position').all();
    const byStream = db.prepareValue<[string, number], number>(
      'SELECT position FROM events WHERE stream = ? AND revision = ?',
    );
    return canonicalJson(
      rows.map(({ data, metadata, ...row }) => ({
        ...row,
        data: JSON.parse(data),
        metadata: JSON.parse(metadata),
        found: byStream.all(row.stream, row.revision),
      })),
    );
  } finally {
    db.close();
  }
};

describe('one byte changed in the facts', () => {
  let original: Buffer;
  let content: string;
  let vault: SqliteVault;

  beforeAll(async () => {
    const { directory } = await copyOfLog('late');
    original = readFileSync(join(directory, FACTS));
    content = contentOf(join(directory, FACTS));
    vault = new SqliteVault(directory);
  });
  afterAll(() => vault.close());

  /** Returns the faults in a file. An error of SQLite when it opens the file counts as a fault. */
  const faultsOf = async (bytes: Buffer): Promise<readonly string[]> => {
    const directory = temporaryDirectory();
    const file = join(directory, FACTS);
    writeFileSync(file, bytes);
    let facts: SqliteFacts;
    try {
      facts = new SqliteFacts(directory);
    } catch (error) {
      return [String(error)];
    }
    const integrity = async () => integrityFaults({ file, aggregates });
    try {
      return (await prove({ sealedFacts: facts, vault, serviceKey }, { integrity })).faults;
    } finally {
      await facts.close();
    }
  };

  const isWithoutEffect = (bytes: Buffer): boolean => {
    const file = join(temporaryDirectory(), FACTS);
    writeFileSync(file, bytes);
    return contentOf(file) === content;
  };

  it('is not reported in an unchanged copy', async () => {
    expect(await faultsOf(original)).toEqual([]);
    const file = join(temporaryDirectory(), FACTS);
    writeFileSync(file, original);
    copyFileSync(file, `${file}.copy`);
    expect(isWithoutEffect(readFileSync(`${file}.copy`))).toBe(true);
  });

  const outcomeOf = async (bytes: Buffer): Promise<'found' | 'without effect' | 'missed'> => {
    if ((await faultsOf(bytes)).length > 0) return 'found';
    return isWithoutEffect(bytes) ? 'without effect' : 'missed';
  };

  it('is found, or has no effect', { timeout: 1_200_000 }, async () => {
    const random = new Random(Number(process.env['SEED'] ?? 16));
    const outcomes: { readonly outcome: string; readonly at: number; readonly byte: number | undefined }[] = [];
    for (let n = 0; n < repetitions('FACTS_BYTES'); n += 1) {
      const bytes = Buffer.from(original);
      const at = random.integer(0, (random.chance(0.2) ? FIRST_PAGES : bytes.length) - 1);
      bytes[at] = bytes.readUInt8(at) ^ random.integer(1, 255);
      outcomes.push({ outcome: await outcomeOf(bytes), at, byte: bytes[at] });
    }
    expect(outcomes.filter(({ outcome }) => outcome === 'missed')).toEqual([]);
    expect(outcomes.filter(({ outcome }) => outcome === 'found').length).toBeGreaterThan(outcomes.length / 2);
  });
});
