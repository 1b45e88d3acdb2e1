// When MongoDB drops a projection that the code does not know (abandoned.test.ts has the rule).
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../../src/infrastructure/views/mongodb/views.js';
import { withMongo } from '../../support/mongodb.js';
import { newProjection } from './support/harness.js';

class ViewsADayLater extends MongoViews {
  protected override readonly abandonedAfterMs = 0;
}

withMongo('a projection that the code does not know', (mongo) => {
  it('is kept for a day without a lease, and then dropped with its collections', async () => {
    const url = mongo.newUrl();
    const views = new MongoViews(new MongoConnection(url));
    const later = new ViewsADayLater(new MongoConnection(url));
    const client = new MongoClient(url);
    onTestFinished(() => Promise.all([views, later, client].map((each) => each.close())).then(() => undefined));
    const [known, unknown] = [await newProjection(views), await (await newProjection(views)).withThings({})];
    await views.release(unknown.lease);
    await views.abandon([known.shape.name]);
    expect(await unknown.body('thing 1')).toBe('"thing 1 1"');
    await later.abandon([known.shape.name]);
    const collections = await client.db(`${client.db().databaseName}_views`).listCollections().toArray();
    const left = collections.map(({ name }) => name).filter((name) => /_\d+$/.test(name));
    expect(left.toSorted()).toEqual([`${known.others}_1`, `${known.things}_1`].toSorted());
  });
});
