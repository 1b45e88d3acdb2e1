// The examples of successful responses in the OpenAPI document are responses of the service. `npm run docs:examples`
// records them again. Ids, timestamps and secrets differ on every run, so fixed values replace them.
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../scripts/routes-doc.js';
import { nameOf } from '../../src/http/request/json-schemas.js';
import type { ClientResponse } from '../support/client.js';
import { Contract, fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { bearerHeader, PASSWORD, refresh, type SignIn, sessionsOf, trySignIn } from './signing-in.js';
import { codeFor, newcomer, type SentSignUp, trySignUp } from './signing-up.js';
import { walk } from './walk.js';

const FILE = '../../src/http/openapi/examples.json';
// Its `model` is the schema of a sign-up, which the document already has.
const WITHOUT_EXAMPLE = ['SignUpModel'];

const server = serverOfThisFile({ RATE_LIMITS: 'off' });
const schemaNames = new Map<string, string | undefined>(
  allRoutes.flatMap(({ method, path, responses: declared }) =>
    Object.entries(declared).map(([status, schema]) => [`${method} ${path} ${status}`, nameOf(schema)] as const),
  ),
);
const examples = new Map<string, unknown>();
let described: OpenApiDocument;

const record = (operation: string, { status, body }: ClientResponse) => {
  const name = schemaNames.get(`${operation} ${status}`);
  if (name === undefined || examples.has(name) || WITHOUT_EXAMPLE.includes(name)) return;
  examples.set(name, body);
};

beforeAll(async () => {
  described = await fetchOpenApi<OpenApiDocument>(server);
  await walk(described, async (step) => {
    const { method, route, path, body } = step;
    const isList = schemaNames.get(`${method} ${route} 200`)?.endsWith('Page');
    const response = await server.send(method.toUpperCase(), isList ? `${path}?limit=1` : path, { json: body });
    record(`${method} ${route}`, response);
    return response;
  });
  await recordSignIns();
});

/** Records the responses of the sign-in routes. */
const recordSignIns = async () => {
  const email = 'bruno.lima@example.org';
  const person = { birthDate: '1985-07-14', dialingCode: '55', phone: '11 91234-5678' };
  const body: SentSignUp = newcomer({ ...person, auth: { email, password: PASSWORD, type: 'USERPASS' } });
  const { id } = (await trySignUp(server, body)).body;
  record('get /auth-service/activation-code', await server.get(`/auth-service/activation-code?ownerRef=${id}`));
  await server.post('/auth-service/activate', { ownerRef: id, code: await codeFor(server, email) });
  const signedIn: ClientResponse<SignIn> = await trySignIn(server, email, PASSWORD, { 'app-name': 'Pocket' });
  record('post /auth-service/auth', signedIn);
  const { token, refreshToken } = signedIn.body;
  record('post /auth-service/refresh-token', await refresh(server, refreshToken));
  record('get /auth-service/sessions', await sessionsOf(server, token));
  const phone = { dialingCode: '55', phone: '11 98765-4321' };
  record(
    'post /auth-service/change-phone',
    await server.post('/auth-service/change-phone', phone, bearerHeader(token)),
  );
  record('post /auth-service/password/reset-code', await server.post('/auth-service/password/reset-code', { email }));
  record('get /.well-known/jwks.json', await server.get('/.well-known/jwks.json'));
};

const SECRETS: Readonly<Record<string, string>> = {
  nextCursor: 'c2VhbGVkLWN1cnNvci1vZi10aGUtbmV4dC1wYWdl',
  token: 'eyJhbGciOiJFZERTQSJ9.claims.signature',
  authToken: 'eyJhbGciOiJSUzI1NiJ9.claims.signature',
  refreshToken: 'the-refresh-token-of-the-session',
  kid: 'id-of-the-key',
  x: 'public-part-of-the-key',
  verifierKey: 'localhost/audit/log+2b1e19da+AZ1AaGPbmhNjtXjYEd7ifn1lNYmGDPnVQcJZ5XQJhm9H',
};

// Fixed values for the members of evidence that depend on the tree and on encryption.
const PROOFS: Readonly<Record<string, unknown>> = {
  index: 17,
  proof: ['dGhlIGhhc2ggb2YgdGhlIHNpYmxpbmcgb2YgdGhlIGw='],
  checkpoint:
    'localhost/audit/log\n42\ndGhlIHJvb3QgaGFzaCBvZiB0aGUgc2lnbmVkIHRyZWU=\n\n— localhost/audit/log the-signature-in-base64\n',
  payloadSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  sealed: 'the-personal-values-encrypted',
  salt: 'c2FsdC1vZi0xNi1ieXRlcw',
};

// The suffix with which the walk makes e-mail addresses and names unique.
const UNIQUE_PART = /[. ][\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=@|$)/g;
const UNIQUE_DOCUMENT = /^MG-.*$/;

/** Returns a replacer for `JSON.stringify` that replaces what differs on every run. Equal ids stay equal. */
const fixedValues = () => {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    const known = ids.get(id) ?? `018f4c3e-7a10-7000-8000-${`${ids.size + 1}`.padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const text = (value: string) =>
    value
      .replaceAll(UNIQUE_PART, '')
      .replace(UNIQUE_DOCUMENT, 'MG-12.345.678')
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, idOf)
      .replaceAll(/\b[\da-f]{32}\b/g, '018f4c3e7a1270008000000000000099')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-05T08:00:00.000Z');
  const textAt = (key: string, value: string) =>
    key.startsWith('/') ? 'digest-of-the-value' : (SECRETS[key] ?? text(value));
  return (key: string, value: unknown) => {
    if (Object.hasOwn(PROOFS, key)) return PROOFS[key];
    if (typeof value === 'string') return textAt(key, value);
    // Two events of evidence are enough for an example.
    return key === 'events' ? (value as unknown[]).slice(0, 2) : value;
  };
};

describe('the examples of responses', () => {
  it('are responses of the service', async () => {
    const byName = Object.fromEntries([...examples].toSorted(([a], [b]) => a.localeCompare(b, 'en')));
    await expect(`${JSON.stringify(byName, fixedValues(), 2)}\n`).toMatchFileSnapshot(FILE);
  });

  it('exist for every response schema', () => {
    const all = [...schemaNames.values()].filter((name) => name !== undefined);
    expect([...examples.keys(), ...WITHOUT_EXAMPLE].toSorted()).toEqual([...new Set(all)].toSorted());
  });

  it('are valid against their own schemas', () => {
    const contract = new Contract(described);
    const shown = (described.components as unknown as { examples: Record<string, { value: unknown }> }).examples;
    for (const name of examples.keys()) {
      expect([name, contract.faultsInSchema(name, shown[name]?.value)]).toEqual([name, []]);
    }
  });
});
