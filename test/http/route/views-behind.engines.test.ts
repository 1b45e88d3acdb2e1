import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../../src/infrastructure/views/mongodb/views.js';
import { withMongo } from '../../support/mongodb.js';
import { viewsBehindSuite } from './views-behind.suite.js';

withMongo('views on MongoDB that are behind', (mongo) =>
  viewsBehindSuite(() => {
    const url = mongo.newUrl();
    return () => new MongoViews(new MongoConnection(url));
  }),
);
