// Loaded before the service (`node --import`): the process kills itself between the documents of a batch and their
// checkpoint, at the batch that DIES_AT_BATCH counts to. On SQLite that is in the middle of the transaction. It is no
// TypeScript because the service's worker threads load it too.
import Sqlite from 'better-sqlite3';
import { Collection } from 'mongodb';

let left = Number(process.env.DIES_AT_BATCH);

const atCheckpoint = () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};

const { updateOne } = Collection.prototype;
Collection.prototype.updateOne = function (...given) {
  const [, change] = given;
  if (this.collectionName === 'projections' && '$max' in change) atCheckpoint();
  return updateOne.apply(this, given);
};

const { prepare } = Sqlite.prototype;
Sqlite.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (!sql.startsWith('UPDATE generations SET position')) return statement;
  const run = statement.run.bind(statement);
  return Object.assign(statement, {
    run: (...given) => {
      atCheckpoint();
      return run(...given);
    },
  });
};
