// Forms as scores need them, kept with their rules.
import { LRUCache } from 'lru-cache';
import { formOf, type Protocol } from '../../../domain/protocol/fold.js';
import type { Form, ProtocolFields } from '../../../domain/protocol/schemas.js';
import { type Scorable, type ScoredForm, scorable } from '../../../domain/scoring/answers.js';
import type { Read } from '../../route/documents.js';
import type { Resource } from '../../route/reading.js';
import { formWith } from './reads.js';
import { protocolFields, resource } from './shown.js';

/** The most bytes of the texts of all kept forms. */
const KEPT_BYTES = 8 * 1_024 * 1_024;

/** What a score needs of a form, which has its rules if it is kept, and of its protocol. */
export interface Scored extends Pick<Form, 'version' | 'status'>, Pick<ProtocolFields, 'archived'> {
  readonly form: ScoredForm | Scorable;
}

const scoredOf = (form: Form, { archived }: ProtocolFields): Scored => {
  const { version, status } = form;
  return { version, status, archived, form };
};

export type KeptForms = (formId: string) => Resource<Protocol, Scored>;

/** Returns the resource of a form as scores need it. Keeps forms at the revisions of their protocols. */
export const keptForms = (): KeptForms => {
  const kept = new LRUCache<string, Scored>({ maxSize: KEPT_BYTES });
  const keep = async (key: string, { value }: Read<ProtocolFields>, read: Read<Form> | undefined) => {
    if (read === undefined) return undefined;
    const scored = { ...scoredOf(read.value, value), form: scorable(read.value) };
    kept.set(key, scored, { size: Buffer.byteLength(read.body) });
    return scored;
  };
  return (formId) => ({
    ...resource,
    show: (state) => scoredOf(formOf(state, formId), protocolFields(state)),
    fromViews: async (views, id) => {
      const root = await views.get('protocols', id);
      if (root === undefined) return undefined;
      const { revision } = root;
      const key = `${id}/${formId}/${revision}`;
      const value = kept.get(key) ?? (await keep(key, root, await formWith(formId).fromViews(views, id)));
      return value && { body: '', value, revision, isAlwaysSent: false };
    },
  });
};
