// The tags of operations in the OpenAPI document, by what their paths begin with.

interface Tag {
  readonly name: string;
  readonly description: string;
}

const administration = {
  protocols: 'Clinical protocols with their versioned forms, questions, options and score ranges.',
  institutions: 'Institutions, their unities, and the users that are attached to them.',
  specialties: 'The catalogue of medical specialties.',
  users: 'Users with their profiles: registration, approval, rejection and erasure.',
  profiles: 'The profiles of all users, among them the approval queue.',
  audit: 'The audit trail: every event that was recorded. Reading it is recorded, too.',
};
const signIn: Tag = {
  name: 'sign-in',
  description: 'Sign-in and sign-up by e-mail and password, sessions, one-time codes, passwords and the public keys.',
};
const webClient: Tag = {
  name: 'web-client',
  description: 'Server routes of the web client, which keep the tokens of a sign-in in cookies.',
};
const operations: Tag = {
  name: 'operations',
  description: 'Probes and metrics for operators and orchestrators.',
};

const BY_PATH: Readonly<Record<string, Tag>> = {
  ...Object.fromEntries(Object.entries(administration).map(([name, description]) => [name, { name, description }])),
  'auth-service': signIn,
  '.well-known': signIn,
  api: webClient,
  livez: operations,
  readyz: operations,
  metrics: operations,
};

/** Every tag. */
export const tags: readonly Tag[] = [...new Set(Object.values(BY_PATH))];

/** Returns the name of the tag of the operations at a path. Throws if the path begins with nothing that has a tag. */
export const tagOf = (path: string): string => {
  const [, first = ''] = path.split('/');
  const tag = BY_PATH[first];
  if (tag === undefined) throw new Error(`no tag describes the operations at ${path}: add one to openapi-tags.ts`);
  return tag.name;
};
