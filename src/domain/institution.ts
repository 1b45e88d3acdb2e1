// An institution and its unities.
import { z } from 'zod';
import { type Decider, type Evolve, type Known, stateOf, type Unknown } from './decider.js';
import { DomainError } from './errors.js';
import { dated, emailAddress, nameText, present, same, text, uuid, visibleText } from './fields.js';

const name = visibleText(500);
const address = text(2_000).nullable();
const UnityContent = z.object({ name, address });
const Content = z.object({
  name,
  document: text(100).nullable(),
  email: emailAddress().nullable(),
  phone: text(50).nullable(),
  address,
});

export const unityLimit = 1_000;

export const institutionEvents = {
  InstitutionCreated: Content,
  InstitutionRevised: Content,
  UnityAdded: UnityContent.extend({ unityId: uuid() }),
  UnityRevised: UnityContent.extend({ unityId: uuid() }),
};

const sentName = nameText(500);
const SentUnity = UnityContent.extend({ name: sentName, address: address.default(null) }).meta({ id: 'NewUnity' });

export const institutionCommands = {
  CreateInstitution: z.object({
    name: sentName,
    document: Content.shape.document.default(null),
    email: Content.shape.email.default(null),
    phone: Content.shape.phone.default(null),
    address: address.default(null),
    unities: z.array(SentUnity).max(500).default([]),
  }),
  ReviseInstitution: Content.extend({ name: sentName }).partial(),
  AddUnity: SentUnity,
  ReviseUnity: UnityContent.extend({ name: sentName }).partial().extend({ unityId: uuid() }),
};

export const Unity = z.object(dated({ institutionId: uuid(), ...UnityContent.shape })).meta({ id: 'Unity' });
export type Unity = z.infer<typeof Unity>;
/** An institution as responses show it, with its unities in the order in which they were added. */
export const InstitutionFields = z
  .object({ ...dated(Content.shape), unities: z.array(Unity).readonly() })
  .meta({ id: 'Institution' });
export type InstitutionFields = z.infer<typeof InstitutionFields>;
export type Institution = Unknown | Known<InstitutionFields>;

export const evolveUnity: Evolve<Unity | undefined, Pick<typeof institutionEvents, 'UnityAdded' | 'UnityRevised'>> = {
  UnityAdded: (_, { unityId, ...content }, { id, at }) => ({
    id: unityId,
    institutionId: id,
    ...content,
    createdAt: at,
    updatedAt: at,
  }),
  UnityRevised: (unity, { unityId: _, ...content }, { at }) => unity && { ...unity, ...content, updatedAt: at },
};

export const evolveInstitutionFields: Evolve<InstitutionFields | undefined, typeof institutionEvents> = {
  InstitutionCreated: (_, content, { id, at }) => ({ id, ...content, createdAt: at, updatedAt: at, unities: [] }),
  InstitutionRevised: (fields, content, { at }) => fields && { ...fields, ...content, updatedAt: at },
  UnityAdded: (fields, data, on) => {
    const unity = evolveUnity.UnityAdded(undefined, data, on);
    return fields && unity && { ...fields, updatedAt: on.at, unities: [...fields.unities, unity] };
  },
  UnityRevised: (fields, data, on) =>
    fields && {
      ...fields,
      updatedAt: on.at,
      unities: fields.unities.map((unity) =>
        unity.id === data.unityId ? (evolveUnity.UnityRevised(unity, data, on) ?? unity) : unity,
      ),
    },
};

/** Returns the fields of an institution. Throws `institution-not-found` if it does not exist. */
export const institutionFields = (state: Institution): InstitutionFields => {
  if (state.status === 'unknown') throw new DomainError('institution-not-found', {});
  return state.fields;
};

/** Returns a unity. Throws `unity-not-found` if it does not exist. */
export const unityOf = (state: Institution, unityId: string): Unity => {
  const unity = institutionFields(state).unities.find(({ id }) => id === unityId);
  if (unity === undefined) throw new DomainError('unity-not-found', { unityId });
  return unity;
};

export const institution: Decider<Institution, typeof institutionEvents, typeof institutionCommands> = {
  aggregate: 'institution',
  events: institutionEvents,
  commands: institutionCommands,
  initialState: { status: 'unknown' },

  evolve: stateOf(evolveInstitutionFields, (fields): Known<InstitutionFields> => ({ status: 'active', fields })),

  decide: {
    CreateInstitution: (_, { unities, ...content }, { newId }) => [
      { type: 'InstitutionCreated', data: content },
      ...unities.map((unity) => ({ type: 'UnityAdded' as const, data: { unityId: newId(), ...unity } })),
    ],
    ReviseInstitution: (state, changes) => {
      const { name, document, email, phone, address } = institutionFields(state);
      const current = { name, document, email, phone, address };
      const content = { ...current, ...present(changes) };
      return same(content, current) ? [] : [{ type: 'InstitutionRevised', data: content }];
    },
    AddUnity: (state, unity, { newId }) => {
      if (institutionFields(state).unities.length >= unityLimit)
        throw new DomainError('too-many-unities', { limit: unityLimit });
      return [{ type: 'UnityAdded', data: { unityId: newId(), ...unity } }];
    },
    ReviseUnity: (state, { unityId, ...changes }) => {
      const { name, address } = unityOf(state, unityId);
      const content = { name, address, ...present(changes) };
      return same(content, { name, address }) ? [] : [{ type: 'UnityRevised', data: { unityId, ...content } }];
    },
  },
};
