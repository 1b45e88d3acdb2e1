// The tags of operations in the OpenAPI document, by the first segment of their paths.

const TAGS: Readonly<Record<string, { readonly description: string; readonly segments?: readonly string[] }>> = {
  protocols: {
    description: 'Clinical protocols with their versioned forms, questions, options and score ranges.',
    segments: ['protocols', 'forms'],
  },
  institutions: { description: 'Institutions, their unities, and the users attached to them.' },
  specialties: { description: 'The catalogue of medical specialties.' },
  users: { description: 'Users with their profiles: registration, approval, rejection and erasure.' },
  profiles: { description: 'The profiles of all users, including the approval queue.' },
  audit: {
    description: 'The audit trail with every recorded event. Every read of the audit trail is also recorded.',
  },
  'sign-in': {
    description: 'Sign-in and sign-up with e-mail and password, sessions, one-time codes, passwords and public keys.',
    segments: ['auth-service', '.well-known'],
  },
  'web-client': { description: 'Server routes of the web client, which store tokens in cookies.', segments: ['api'] },
  operations: {
    description: 'Probes and metrics for operators and orchestrators.',
    segments: ['livez', 'readyz', 'metrics'],
  },
};

export const tags = Object.entries(TAGS).map(([name, { description }]) => ({ name, description }));

/** Returns the tag of the operations at a path. Throws if the first segment of the path has no tag. */
export const tagOf = (path: string): string => {
  const [, first = ''] = path.split('/');
  const found = Object.entries(TAGS).find(([name, { segments = [name] }]) => segments.includes(first));
  if (found === undefined) throw new Error(`the operations at ${path} have no tag: add one to openapi/tags.ts`);
  return found[0];
};
