// npm run demo against the service on its embedded stores.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectPeopleIn, runDemo, statusesIn } from '../support/demo.js';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';

const server = new Server(temporaryDirectory());
beforeAll(() => server.start());
afterAll(() => server.stop());

it('the demo shows everything, and again on a service that has been shown before', async () => {
  const demo = () => runDemo({ BASE_URL: server.url, DATA_DIR: server.directory });
  const first = await demo();
  expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
  expectPeopleIn(first.out);
  // The one refusal that it shows: an e-mail that is taken.
  expect(statusesIn(first.out).filter((status) => status >= 300)).toEqual([409]);

  const second = await demo();
  expect({ code: second.code, err: second.err }).toEqual({ code: 0, err: '' });
  expectPeopleIn(second.out);
  expect(second.out).toContain('Cardiology is in the catalogue already');
}, 120_000);
