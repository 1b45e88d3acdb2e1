// The life of a form (draft, published, retired) and of its protocol (in use, archived): what may change, and when.
import type { z } from 'zod';
import type { Decide } from '../decider.js';
import { DomainError } from '../errors.js';
import { type ActiveProtocol, active, formOf, type Protocol } from './fold.js';
import type { Form, FormStatus, protocolCommands, protocolEvents } from './schemas.js';

/** Returns the protocol. Throws `protocol-archived` if it is archived, `protocol-not-found` if it does not exist. */
export const unarchived = (state: Protocol): ActiveProtocol => {
  const known = active(state);
  if (known.fields.archived) throw new DomainError('protocol-archived', {});
  return known;
};

const REFUSALS: { readonly [S in FormStatus]: 'form-published' | 'form-retired' | undefined } = {
  DRAFT: undefined,
  PUBLISHED: 'form-published',
  RETIRED: 'form-retired',
};

/**
 * Returns the form if it may be changed. Every command that changes a form asks, after it has found what it changes and
 * also if it then changes nothing.
 */
export const changeable = (state: ActiveProtocol, form: Form): Form => {
  unarchived(state);
  const code = REFUSALS[form.status];
  if (code !== undefined) throw new DomainError(code, { formId: form.id });
  return form;
};

/** The result for a form of each status: the event is recorded, nothing is recorded, or the command is refused. */
const TRANSITIONS = {
  ProtocolFormPublished: { DRAFT: 'recorded', PUBLISHED: 'nothing', RETIRED: 'form-retired' },
  ProtocolFormRetired: { DRAFT: 'recorded', PUBLISHED: 'recorded', RETIRED: 'nothing' },
} as const satisfies Readonly<Record<string, { readonly [S in FormStatus]: 'form-retired' | 'recorded' | 'nothing' }>>;

type Explained = z.infer<(typeof protocolCommands)['PublishForm' | 'RetireForm']>;

const transition =
  <T extends keyof typeof TRANSITIONS>(type: T) =>
  (state: Protocol, data: Explained) => {
    const { formId } = data;
    const { status } = formOf(state, formId);
    unarchived(state);
    const becomes = TRANSITIONS[type][status];
    if (becomes === 'nothing') return [];
    if (becomes === 'recorded') return [{ type, data }];
    throw new DomainError(becomes, { formId });
  };

type Life = 'PublishForm' | 'RetireForm' | 'ArchiveProtocol' | 'RestoreProtocol';

export const decideLife: Decide<
  Protocol,
  Pick<typeof protocolEvents, keyof typeof TRANSITIONS | 'ProtocolArchived' | 'ProtocolRestored'>,
  Pick<typeof protocolCommands, Life>
> = {
  PublishForm: transition('ProtocolFormPublished'),
  RetireForm: transition('ProtocolFormRetired'),
  ArchiveProtocol: (state, data) => (active(state).fields.archived ? [] : [{ type: 'ProtocolArchived', data }]),
  RestoreProtocol: (state, data) => (active(state).fields.archived ? [{ type: 'ProtocolRestored', data }] : []),
};
