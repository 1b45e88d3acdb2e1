import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import { withMongo } from '../support/mongodb.js';
import { fanOutSuite } from './fan-out.suite.js';

withMongo('read models on MongoDB', (mongo) =>
  fanOutSuite(() => {
    const url = mongo.newUrl();
    return () => new MongoViews(new MongoConnection(url));
  }),
);
