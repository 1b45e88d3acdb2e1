import { expect, it } from 'vitest';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import { protocols } from '../../src/projections/protocols.js';
import { withMongo } from '../support/mongodb.js';
import { foldLargeForm, questionsIn, STREAM } from './support/large-forms.js';

withMongo('large forms on MongoDB', (mongo) => {
  const openViews = () => new MongoViews(new MongoConnection(mongo.newUrl()));

  it('are folded and read if a document can hold them', async () => {
    const { stores } = await foldLargeForm(15, openViews());
    await stores.waitUntilCaughtUp(protocols);
    expect(await questionsIn(stores.views)).toBe(15);
  });

  it('stop the read model before the event that makes them too large for a document, and stay readable', async () => {
    const { stores, positions } = await foldLargeForm(20, openViews());
    const stopped = await stores.waitUntilStopped(protocols.name);
    const taken = await questionsIn(stores.views);
    expect(taken).toBeGreaterThan(15);
    expect(stopped).toMatchObject({ position: positions[taken - 1], stopped: { position: positions[taken] } });
    expect(stopped.stopped?.reason).toContain(`ProtocolQuestionAdded in ${STREAM} at revision ${taken + 2}: `);

    await stores.retry(stopped);
    expect(await stores.waitUntilStopped(protocols.name)).toMatchObject({ stopped: stopped.stopped });
    expect(await questionsIn(stores.views)).toBe(taken);
  });
});
