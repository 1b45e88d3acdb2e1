// Copies of forms: a new version in the same protocol, or the first form of a new protocol.
import type { z } from 'zod';
import { getById } from '../by-id.js';
import { DomainError } from '../errors.js';
import { copyOf, noContent } from './content.js';
import { type ActiveProtocol, active, latestFormOf, type Protocol } from './fold.js';
import type { Form, formEvents, protocolCommands, SentCopy } from './schemas.js';

interface Copying {
  readonly version: number;
  readonly newId: () => string;
}

/** Returns the form that a field of a request names. Throws `fields-refused` if the protocol has no such form. */
export const namedForm = (state: ActiveProtocol, formId: string, field: string): Form => {
  const form = getById(state.forms, formId);
  if (form !== undefined) return form;
  const message = 'does not name a form of this protocol';
  throw new DomainError('fields-refused', { errors: [{ path: [field], code: 'not-found', message }] });
};

/** Returns the form to copy: the named one, or else the newest; null if the protocol has none. */
export const sourceIn = (state: ActiveProtocol, formId: string | undefined, field: string): Form | null =>
  formId === undefined ? latestFormOf(state) : namedForm(state, formId, field);

/** Returns a copy of a form with new ids; an empty form without a source. */
export const copied = (
  { questions }: ActiveProtocol,
  source: Form | null,
  { version, newId }: Copying,
): z.infer<typeof formEvents.ProtocolFormVersionCreated> => {
  const content = source === null ? noContent : copyOf(source, questions, newId);
  return { copiedFrom: source?.id ?? null, formId: newId(), ...content, version };
};

/** Returns the content of a new protocol that copies this one with one of its forms. */
export const copyOfProtocol = (
  state: Protocol,
  { institutionId, name, formId }: SentCopy,
  newId: () => string,
): z.infer<typeof protocolCommands.CopyProtocol> => {
  const original = active(state);
  const { name: ownName, prompt } = original.fields;
  const form = copied(original, sourceIn(original, formId, 'formId'), { version: 1, newId });
  return { institutionId, name: name ?? ownName, prompt, form };
};
