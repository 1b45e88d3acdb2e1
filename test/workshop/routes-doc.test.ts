import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allRoutes, nameOf, routesDocument } from '../../scripts/routes-doc.js';

it('docs/routes.md says what each route declares (npm run docs:routes makes it)', () => {
  expect(readFileSync(new URL('../../docs/routes.md', import.meta.url), 'utf8')).toBe(routesDocument());
});

it('no route that writes or records a reading is unlimited', () => {
  const isRecorded = /history|^\/audit\/(events|log\/tile\/entries)/;
  const writes = allRoutes.filter(({ method, path }) => method !== 'get' || isRecorded.test(path));
  expect(writes.filter(({ access }) => access.rate === 'unlimited').map(nameOf)).toEqual([]);
});
