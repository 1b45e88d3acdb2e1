// Forms as scores need them, kept with their rules.
import { LRUCache } from 'lru-cache';
import { formOf, type Protocol } from '../../../domain/protocol/fold.js';
import type { Form, ProtocolFields } from '../../../domain/protocol/schemas.js';
import { type Scorable, type ScoredForm, scorable } from '../../../domain/scoring/answers.js';
import { formDocumentId } from '../../../projections/protocols.js';
import type { Read, TypedReads } from '../../route/documents.js';
import type { Resource } from '../../route/reading.js';
import { protocolFields, resource } from './shown.js';

/** The most bytes of the texts of all kept forms. */
const KEPT_BYTES = 8 * 1_024 * 1_024;

/** What a score needs of a form, which has its rules if it is kept, and of its protocol. */
interface Scored extends Pick<Form, 'version' | 'status'>, Pick<ProtocolFields, 'archived'> {
  readonly form: ScoredForm | Scorable;
}

const scoredOf = ({ version, status, ...form }: Form, { archived }: ProtocolFields): Scored => ({
  version,
  status,
  archived,
  form,
});

export type KeptForms = (formId: string) => Resource<Protocol, Scored>;

/** Returns the resource of a form as scores need it. Keeps forms at the revisions of their protocols. */
export const keptForms = (): KeptForms => {
  const kept = new LRUCache<string, Scored>({ maxSize: KEPT_BYTES });
  const find = async (views: TypedReads, id: string, formId: string, root: Read<ProtocolFields>) => {
    const key = `${id}/${formId}/${root.revision}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const form = await views.get('forms', formDocumentId(id, formId), root.revision);
    if (form === undefined) return undefined;
    const scored = { ...scoredOf(form.value, root.value), form: scorable(form.value) };
    kept.set(key, scored, { size: Buffer.byteLength(form.body) });
    return scored;
  };
  return (formId) => ({
    ...resource,
    show: (state) => scoredOf(formOf(state, formId), protocolFields(state)),
    fromViews: async (views, id) => {
      const root = await views.get('protocols', id);
      const value = root && (await find(views, id, formId, root));
      return value && { body: '', value, revision: root.revision, isAlwaysSent: false };
    },
  });
};
