// The list of the forms of all protocols, oldest first. Forms are joined with their protocols and filtered while they
// are read, so that archiving a protocol changes one document and not one of each form.
import { comparableName } from '../domain/comparable.js';
import { present } from '../domain/fields.js';
import type { FormStatus, FormVersion } from '../domain/protocol/schemas.js';
import { PAGE } from '../infrastructure/pages.js';
import { type ListPage, listPages, type Views } from '../infrastructure/views/views.js';
import type { NamedProtocol } from './protocols.js';

export interface FormFilter {
  readonly status?: FormStatus | undefined;
  readonly institutionId?: string | undefined;
  /** The beginning of the name of the protocol. */
  readonly name?: string | undefined;
}

export interface ListedForm extends FormVersion {
  readonly protocol: Omit<NamedProtocol, 'archived'>;
}

interface Found {
  readonly form: ListedForm;
  readonly place: string | undefined;
}

interface Places {
  readonly after: string | undefined;
  readonly limit: number;
  /** Yields pages, and may wait before the work on each. */
  readonly inPlaces?: <T>(pages: AsyncIterable<T>) => AsyncIterable<T>;
}

// A page of the response examines at most 9,984 forms.
const MOST_READS = 39;

/**
 * Returns at most `limit` matching forms after a place. If few forms match, the page may have fewer, because a page
 * examines a bounded number of forms. `next` is undefined on the last page.
 */
export const formPage = async (
  views: Pick<Views, 'list' | 'getAll'>,
  filter: FormFilter,
  { after, limit, inPlaces = (pages) => pages }: Places,
): Promise<{ readonly items: readonly ListedForm[]; readonly next: string | undefined }> => {
  const where = present({ status: filter.status });
  const query = { collection: 'formVersions', where, order: 'oldest-first', after, limit: PAGE.items } as const;
  // Unless protocols are filtered, nearly every form of the first read is on the page.
  const first = filter.institutionId === undefined && filter.name === undefined ? limit : PAGE.items;
  const protocolsOf = protocolsFor(views, filter);
  const found: Found[] = [];
  let [next, reads] = [after, 0];
  const read = async function* () {
    for await (const page of listPages(views, query, first)) {
      yield { matching: await joined(page, protocolsOf), after: page.next };
    }
  };
  for await (const { matching, after: place } of inPlaces(read())) {
    const room = limit - found.length;
    found.push(...matching.slice(0, room));
    next = matching.length > room ? found.at(-1)?.place : place;
    reads += 1;
    if (found.length === limit || reads === MOST_READS) break;
  }
  return { items: found.map(({ form }) => form), next };
};

/**
 * Returns a lookup of the protocols that a list with this filter shows, by id. Each protocol is read once, however many
 * of its forms a page examines.
 */
const protocolsFor = (views: Pick<Views, 'getAll'>, filter: FormFilter) => {
  const known = new Map<string, ListedForm['protocol'] | undefined>();
  const listed = listedBy(filter);
  return async (ids: readonly string[]): Promise<typeof known> => {
    const missing = [...new Set(ids)].filter((id) => !known.has(id));
    const stored = missing.length === 0 ? [] : await views.getAll('protocolNames', missing);
    for (const { id, body } of stored) known.set(id, listed(JSON.parse(body) as NamedProtocol));
    return known;
  };
};

/** Returns what a list with this filter shows of a protocol; undefined if it does not show its forms. */
const listedBy = ({ institutionId: wanted, name: prefix = '' }: FormFilter) => {
  const beginning = comparableName(prefix);
  return ({ id, name, institutionId, archived }: NamedProtocol): ListedForm['protocol'] | undefined =>
    archived === true || institutionId !== (wanted ?? institutionId) || !comparableName(name).startsWith(beginning)
      ? undefined
      : { id, name, institutionId };
};

/** Returns the forms of a page whose protocols are listed, each with its protocol and its place. */
const joined = async (
  { json, places }: ListPage,
  protocolsOf: ReturnType<typeof protocolsFor>,
): Promise<readonly Found[]> => {
  const forms = JSON.parse(json) as readonly FormVersion[];
  const protocols = await protocolsOf(forms.map(({ protocolId }) => protocolId));
  return forms.flatMap((form, index) => {
    const protocol = protocols.get(form.protocolId);
    return protocol === undefined ? [] : [{ form: { ...form, protocol }, place: places[index] }];
  });
};
