// Reads every resource of a release.
import type { Readers } from './life.js';
import type { Service } from './service.js';

/** The body of each response by its path. */
export type Responses = Readonly<Record<string, unknown>>;

interface Item {
  readonly id: string;
  readonly version?: number;
  readonly userId?: string;
}

/** Reads a list and returns its items. */
type Read = (path: string) => Promise<readonly Item[]>;

/** Returns the responses of every list, of every resource in it, and of the whole log. */
export const responsesOf = async ({ request }: Service, readers: Readers): Promise<Responses> => {
  const responses: Record<string, unknown> = {};
  const readAs =
    (token: string): Read =>
    async (path) => {
      const body = await request<{ readonly items?: readonly Item[] }>('GET', path, { token });
      responses[path] = body;
      return body.items ?? [];
    };
  const read = readAs(readers.administrator);
  for (const list of ['/institutions', '/specialties', '/users']) await readResources(read, list);
  await readProtocols(read);
  await readProfiles(read);
  await readAs(readers.auditor)('/audit/events?limit=200');
  return responses;
};

const readResources = async (read: Read, list: string): Promise<readonly Item[]> => {
  const items = await read(`${list}?limit=200`);
  for (const { id } of items) await read(`${list}/${id}`);
  return items;
};

const readProtocols = async (read: Read): Promise<void> => {
  for (const { id } of await readResources(read, '/protocols')) {
    for (const form of await read(`/protocols/${id}/forms`)) {
      await read(`/protocols/${id}/forms/${form.id}`);
      await read(`/protocols/${id}/questionnaire?version=${form.version}`);
    }
  }
};

const readProfiles = async (read: Read): Promise<void> => {
  for (const { id, userId } of await read('/profiles?limit=200')) {
    await read(`/users/${userId}/profiles/${id}`);
    await read(`/users/${userId}/profiles/${id}/history`);
  }
};
