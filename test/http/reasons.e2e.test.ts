// REASONS=required: a rejection needs a reason.
import { describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { expectRefused } from './support/refusals.js';
import { createDoctor, successful } from './support/samples.js';

describe('with REASONS=required', () => {
  const server = serverOfThisFile({ REASONS: 'required' });
  const newPath = async () => {
    const { id, profiles } = await createDoctor(server);
    return `/users/${id}/profiles/${first(profiles).id}`;
  };

  it.each([undefined, {}, { reason: null }])('a rejection with the body %j is 400', async (json) => {
    const path = await newPath();
    const reject = () => server.send('PATCH', `${path}/reject`, json && { json });
    expectRefused(await reject(), '/reason required');
    successful(await server.patch(`${path}/reject`, { reason: 'It has lapsed.' }));
    expectRefused(await reject(), '/reason required');
  });

  it.each(['\u{16FE4}', '\u{1D159}', '\u{1107F}'])(
    'a rejection with a reason that nobody can see is 400: %j',
    async (reason) => {
      expectRefused(await server.patch(`${await newPath()}/reject`, { reason }), '/reason blank');
    },
  );

  it('an approval needs none', async () => {
    expect((await server.patch(`${await newPath()}/approve`, {})).status).toBe(200);
  });
});
