// A service as the tests of a session know it: it signs in, renews tokens, and refuses other ones.
import { json, pathOf, type Respond, refused, tokenOf } from './browser.js';

export const RENEWAL = '/api/update-token';
export const tokens = [1, 2, 3, 4].map((n) => tokenOf('ana', { n }));

export const bearerOf = ({ headers }: Request) => headers.get('Authorization')?.replace('Bearer ', '');

/** A service that accepts the newest token only, and gives the next one with each renewal. */
export const serviceOf = ({ auth = 'required', endsAfter = Number.POSITIVE_INFINITY } = {}) => {
  let renewals = 0;
  let valid: string | undefined;
  let person = 'ana';
  const routes: Readonly<Record<string, Respond>> = {
    '/': () => json({ auth }),
    [RENEWAL]: async (request) => {
      const { url } = (await request.json()) as { url?: string };
      if (url === undefined) {
        valid = tokenOf(person, { sid: 'another session' });
        endsAfter = Number.POSITIVE_INFINITY;
        return json({ token: valid });
      }
      if (renewals >= endsAfter) return refused(401, 'tokens-refused');
      valid = tokens[renewals];
      renewals += 1;
      return json({ token: valid });
    },
    '/auth-service/auth': async (request) => {
      person = ((await request.json()) as { email: string }).email;
      return json({ user: { id: person }, token: 'sent', refreshToken: 'back' });
    },
  };
  const respond: Respond = (request) => {
    const route = routes[pathOf(request)];
    if (route !== undefined) return route(request);
    return bearerOf(request) === valid ? json({ path: pathOf(request) }) : refused(401, 'token-refused');
  };
  return { respond, renewals: () => renewals, expire: () => (valid = 'a token that nobody has') };
};
