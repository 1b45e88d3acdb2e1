// Kills its process between the documents of a batch and their checkpoint on MongoDB; loaded before the service
// (`node --import`). DIES_AT_BATCH is the number of the batch; batches without documents do not count. The file is
// JavaScript because worker threads load it, too.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Collection } from 'mongodb';
import { MongoViews } from '../../../dist/infrastructure/views/mongodb/views.js';

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

const { replaceOne } = Collection.prototype;
Collection.prototype.replaceOne = function (...given) {
  if (hasDocuments.getStore() && this.collectionName === 'projections') atCheckpoint();
  return replaceOne.apply(this, given);
};
