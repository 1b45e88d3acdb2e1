import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allRoutes, nameOf, routesDocument } from '../../scripts/routes-doc.js';

it('docs/routes.md matches the declarations of the routes (npm run docs:routes updates it)', () => {
  expect(readFileSync(new URL('../../docs/routes.md', import.meta.url), 'utf8')).toBe(routesDocument());
});

it('every route that writes or records a read is limited', () => {
  const isRecorded = /history|^\/audit\/(events|log\/tile\/entries)/;
  const writes = allRoutes.filter(({ method, path }) => method !== 'get' || isRecorded.test(path));
  expect(writes.filter(({ access }) => access.rate === 'unlimited').map(nameOf)).toEqual([]);
});
