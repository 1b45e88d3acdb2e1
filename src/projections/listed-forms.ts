// The list of the forms of all protocols, oldest first. Forms are joined with their protocols and filtered while they
// are read, so that archiving a protocol changes one document and not one of each form.
import { comparableName } from '../domain/comparable.js';
import { present } from '../domain/fields.js';
import type { FormStatus, FormVersion, ProtocolFields } from '../domain/protocol/schemas.js';
import { PAGE } from '../infrastructure/pages.js';
import { type ListPage, listPages, type Views } from '../infrastructure/views/views.js';

export interface FormFilter {
  readonly status?: FormStatus | undefined;
  readonly institutionId?: string | undefined;
  /** The beginning of the name of the protocol. */
  readonly name?: string | undefined;
}

export interface ListedForm extends FormVersion {
  readonly protocol: Pick<ProtocolFields, 'id' | 'name' | 'institutionId'>;
}

interface Found {
  readonly form: ListedForm;
  readonly place: string | undefined;
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
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<{ readonly items: readonly ListedForm[]; readonly next: string | undefined }> => {
  const where = present({ status: filter.status });
  const query = { collection: 'formVersions', where, order: 'oldest-first', after, limit: PAGE.items } as const;
  // Unless protocols are filtered, nearly every form of the first read is on the page.
  const first = filter.institutionId === undefined && filter.name === undefined ? limit : PAGE.items;
  const isListed = listedBy(filter);
  const found: Found[] = [];
  let [next, reads] = [after, 0];
  for await (const page of listPages(views, query, first)) {
    const matching = await joined(views, page, isListed);
    const room = limit - found.length;
    found.push(...matching.slice(0, room));
    next = matching.length > room ? found.at(-1)?.place : page.next;
    reads += 1;
    if (found.length === limit || reads === MOST_READS) break;
  }
  return { items: found.map(({ form }) => form), next };
};

/** Returns whether a list with this filter has the forms of a protocol. */
const listedBy = ({ institutionId, name = '' }: FormFilter) => {
  const prefix = comparableName(name);
  return (protocol: ProtocolFields): boolean =>
    !protocol.archived &&
    (institutionId === undefined || protocol.institutionId === institutionId) &&
    comparableName(protocol.name).startsWith(prefix);
};

/** Returns the forms whose protocols are listed, each with its protocol and its place. */
const joined = async (
  views: Pick<Views, 'getAll'>,
  { json, places }: ListPage,
  isListed: (protocol: ProtocolFields) => boolean,
): Promise<readonly Found[]> => {
  const forms = JSON.parse(json) as readonly FormVersion[];
  const ids = new Set(forms.map(({ protocolId }) => protocolId));
  const stored = await views.getAll('protocolNames', [...ids]);
  const protocols = new Map(stored.map(({ id, body }) => [id, JSON.parse(body) as ProtocolFields]));
  return forms.flatMap((form, index) => {
    const protocol = protocols.get(form.protocolId);
    if (protocol === undefined || !isListed(protocol)) return [];
    const { id, name, institutionId } = protocol;
    return [{ form: { ...form, protocol: { id, name, institutionId } }, place: places[index] }];
  });
};
