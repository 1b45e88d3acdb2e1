// A medical specialty of the catalogue; its name is unique.
import { z } from 'zod';
import { comparableSpecialty } from './comparable.js';
import { type Decider, type Evolve, type Known, stateOf, type Unknown } from './decider.js';
import { DomainError } from './errors.js';
import { dated, nameText, present, same, text, visibleText } from './fields.js';
import type { UniqueValue } from './unique.js';

const Content = z.object({
  name: visibleText(200),
  description: text(2_000).nullable(),
  enabled: z.boolean(),
});

export const specialtyEvents = {
  SpecialtyCreated: Content,
  SpecialtyRevised: Content,
};

const sentName = nameText(200);

export const specialtyCommands = {
  CreateSpecialty: z.object({
    name: sentName,
    description: Content.shape.description.default(null),
    enabled: Content.shape.enabled.default(true),
  }),
  ReviseSpecialty: Content.extend({ name: sentName }).partial(),
};

/** A specialty as responses show it. */
export const SpecialtyFields = z.object(dated(Content.shape)).meta({ id: 'Specialty' });
export type SpecialtyFields = z.infer<typeof SpecialtyFields>;
export type Specialty = Unknown | Known<SpecialtyFields>;

export const evolveSpecialtyFields: Evolve<SpecialtyFields | undefined, typeof specialtyEvents> = {
  SpecialtyCreated: (_, content, { id, at }) => ({ id, ...content, createdAt: at, updatedAt: at }),
  SpecialtyRevised: (fields, content, { at }) => fields && { ...fields, ...content, updatedAt: at },
};

/** Returns the fields of a specialty. Throws `specialty-not-found` if it does not exist. */
export const specialtyFields = (state: Specialty): SpecialtyFields => {
  if (state.status === 'unknown') throw new DomainError('specialty-not-found', {});
  return state.fields;
};

export const uniqueValuesOfSpecialty = ({ name }: Pick<SpecialtyFields, 'name'>): readonly UniqueValue[] => [
  { kind: 'specialty-name', value: comparableSpecialty(name), path: ['name'] },
];

export const specialty: Decider<Specialty, typeof specialtyEvents, typeof specialtyCommands> = {
  aggregate: 'specialty',
  events: specialtyEvents,
  commands: specialtyCommands,
  initialState: { status: 'unknown' },

  unique: {
    refusal: 'specialty-name-taken',
    isPerson: false,
    values: (state) => (state.status === 'unknown' ? [] : uniqueValuesOfSpecialty(state.fields)),
  },

  evolve: stateOf(evolveSpecialtyFields, (fields): Known<SpecialtyFields> => ({ status: 'active', fields })),

  decide: {
    CreateSpecialty: (_, content) => [{ type: 'SpecialtyCreated', data: content }],
    ReviseSpecialty: (state, changes) => {
      const { name, description, enabled } = specialtyFields(state);
      const current = { name, description, enabled };
      const content = { ...current, ...present(changes) };
      return same(content, current) ? [] : [{ type: 'SpecialtyRevised', data: content }];
    },
  },
};
