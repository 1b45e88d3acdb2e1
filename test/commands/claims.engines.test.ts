import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../src/infrastructure/vault/mongodb.js';
import { withMongo } from '../support/mongodb.js';
import { claimsSuite } from './claims.suite.js';

withMongo('claims in a vault on MongoDB', (mongo) => {
  claimsSuite('MongoDB', () => new MongoVault(new MongoConnection(mongo.newUrl())));
});
