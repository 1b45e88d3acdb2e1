// The names that lists show of users and of what they are attached to, also while a worker builds the read model of them.
import { expect, it } from 'vitest';
import { ReadModelOutdated } from '../../src/infrastructure/errors.js';
import { attachedIn, withPresentNames } from '../../src/projections/institutions.js';
import { namesOf } from '../../src/projections/users.js';
import { uuidOf } from '../support/specification.js';

const [ana, hospital] = [uuidOf(1), uuidOf(2)];
const user = { id: ana, firstName: 'Ana', lastName: 'B', institutions: [{ id: hospital, name: 'Before' }] };

/** Returns views whose live generation lacks a collection, as that of an earlier version does. */
const viewsWithout = (absent: string) => ({
  getAll: async (collection: string) => {
    if (collection === absent) throw new ReadModelOutdated('the projection', absent);
    return [{ id: ana, body: JSON.stringify(user), revision: 0, position: '0' as never, created: '0' }];
  },
});

it('the name of a user is read from the user while the live read model has no names', async () => {
  const names = await namesOf(viewsWithout('userNames'), [ana]);
  expect(names.get(ana)).toEqual({ id: ana, firstName: 'Ana', lastName: 'B', institutionIds: [hospital] });
});

it('the name of an institution is the recorded one while the live read model has no names', async () => {
  const json = JSON.stringify(user);
  expect(attachedIn(json)).toEqual([hospital]);
  expect(await withPresentNames(viewsWithout('attachmentNames'), json, attachedIn(json))).toBe(json);
});
