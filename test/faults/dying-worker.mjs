// Kills its process between the documents of a batch and their checkpoint; loaded before the service (`node --import`).
// DIES_AT_BATCH is the number of the batch; on MongoDB, batches without documents do not count. On SQLite the process
// dies in the middle of the transaction. The file is JavaScript because the service's worker threads load it, too.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Collection } from 'mongodb';
import { Database } from '../../dist/infrastructure/sqlite/driver.js';
import { MongoViews } from '../../dist/infrastructure/views/mongodb.js';

let left = Number(process.env.DIES_AT_BATCH);

const atCheckpoint = () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};

const hasDocuments = new AsyncLocalStorage();
const { commit } = MongoViews.prototype;
MongoViews.prototype.commit = function (batch) {
  return hasDocuments.run(batch.writes.length > 0, () => commit.call(this, batch));
};

const { updateOne } = Collection.prototype;
Collection.prototype.updateOne = function (...given) {
  const [, change] = given;
  if (hasDocuments.getStore() && this.collectionName === 'projections' && '$max' in change) atCheckpoint();
  return updateOne.apply(this, given);
};

const { prepare } = Database.prototype;
Database.prototype.prepare = function (sql) {
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
