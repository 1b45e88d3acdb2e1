// Reads the format and the master key ids of a vault copy, without changing the copy.
import { openForReading } from '../sqlite/database.js';
import { KINDS } from './wrapping.js';

/** Returns the format of the stores, and the ids of the master keys that wrap the keys in a copy of a vault. */
export const describeVaultCopy = (file: string) => {
  const db = openForReading(file);
  try {
    const format = db
      .prepareValue<[], number>("SELECT value ->> 'format' FROM records WHERE kind = 'format' AND key = 'stores'")
      .get();
    const masterKeys = db
      .prepareValue<[string], string>(
        "SELECT DISTINCT value ->> 'masterKey' AS id FROM records WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY id",
      )
      .all(JSON.stringify(KINDS));
    return { storeFormat: format ?? 1, masterKeys };
  } finally {
    db.close();
  }
};
