// The tags of operations in the OpenAPI document, by the first segment of their paths.

interface Tag {
  readonly name: string;
  readonly description: string;
}

const administration = {
  protocols: 'Clinical protocols with their versioned forms, questions, options and score ranges.',
  institutions: 'Institutions, their unities, and the users attached to them.',
  specialties: 'The catalogue of medical specialties.',
  users: 'Users with their profiles: registration, approval, rejection and erasure.',
  profiles: 'The profiles of all users, including the approval queue.',
  audit: 'The audit trail with every recorded event. Every read of the audit trail is also recorded.',
};
const signIn: Tag = {
  name: 'sign-in',
  description: 'Sign-in and sign-up with e-mail and password, sessions, one-time codes, passwords and public keys.',
};
const webClient: Tag = {
  name: 'web-client',
  description: 'Server routes of the web client, which store tokens in cookies.',
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

/** All tags. */
export const tags: readonly Tag[] = [...new Set(Object.values(BY_PATH))];

/** Returns the tag of the operations at a path. Throws if the first segment of the path has no tag. */
export const tagOf = (path: string): string => {
  const [, first = ''] = path.split('/');
  const tag = BY_PATH[first];
  if (tag === undefined) throw new Error(`the operations at ${path} have no tag: add one to openapi-tags.ts`);
  return tag.name;
};
