// The names that lists show of users and of what they are attached to.
import { describe, expect, it } from 'vitest';
import { attachedIn, withPresentNames } from '../../src/projections/institutions.js';
import { namesOf } from '../../src/projections/users.js';
import { uuidOf } from '../support/specification.js';

const [ana, hospital] = [uuidOf(1), uuidOf(2)];
const user = { id: ana, firstName: 'Ana', lastName: 'B', institutions: [{ id: hospital, name: 'Before' }] };

describe('the present names', () => {
  /** Returns views that have these names, and the ids that were read at once. */
  const viewsWith = (names: Readonly<Record<string, object>>) => {
    const read: (readonly [collection: string, ids: readonly string[]])[] = [];
    const getAll = async (collection: string, ids: readonly string[]) => {
      read.push([collection, ids]);
      const found = ids.filter((id) => Object.hasOwn(names, id));
      return found.map((id) => ({ id, body: JSON.stringify(names[id]), revision: 0, position: '0', created: '0' }));
    };
    return { views: { getAll }, read };
  };
  const attachedTo = (...attachments: readonly object[]) => JSON.stringify({ ...user, institutions: attachments });

  it('replace the recorded ones, whatever characters the names have', async () => {
    const present = { id: hospital, name: 'After "$&" \\' };
    const other = { id: uuidOf(3), name: 'Removed' };
    const recorded = ['Before', '"', '\\', 'The "B" \\ "C"', '\n'].map((name) => ({ id: hospital, name }));
    const json = attachedTo(...recorded, other);
    expect(attachedIn(json)).toEqual([hospital, other.id]);
    const shown = await withPresentNames(viewsWith({ [hospital]: present }).views, json, attachedIn(json));
    expect(shown).toBe(attachedTo(...recorded.map(() => present), other));
  });

  it('of many attachments are read 500 at a time', async () => {
    const all = Array.from({ length: 1_000 }, (_, n) => ({ id: uuidOf(n), name: 'Before' }));
    const renamed = all.map(({ id }) => ({ id, name: `After ${id}` }));
    const { views, read } = viewsWith(Object.fromEntries(renamed.map((each) => [each.id, each])));
    const json = attachedTo(...all);
    expect(await withPresentNames(views, json, attachedIn(json))).toBe(attachedTo(...renamed));
    expect(read.map(([collection, ids]) => [collection, ids.length])).toEqual([
      ['attachmentNames', 500],
      ['attachmentNames', 500],
    ]);
  });

  it('of users are read once', async () => {
    const named = { id: ana, firstName: 'Ana', lastName: null, institutionIds: [] };
    const { views, read } = viewsWith({ [ana]: named });
    expect([...(await namesOf(views, [ana, ana]))]).toEqual([[ana, named]]);
    expect(read).toEqual([['userNames', [ana]]]);
  });
});
