// Makes the bodies of earlier responses again, from the streams as they were then.
import { type LoadInstitution, namedUser } from '../../commands/attachment-names.js';
import type { Streams } from '../../commands/streams.js';
import type { Walker } from '../../commands/walks.js';
import { getById } from '../../domain/by-id.js';
import type { Foldable } from '../../domain/decider.js';
import { institution, institutionFields, unityOf } from '../../domain/institution.js';
import { protocol } from '../../domain/protocol/decide.js';
import { active, optionOf, type Protocol, questionOf } from '../../domain/protocol/fold.js';
import { specialty, specialtyFields } from '../../domain/specialty.js';
import { profileOf, userOf } from '../../domain/user/state.js';
import { user } from '../../domain/user/user.js';
import type { Shown, WriteResult } from './route.js';

export type Made = WriteResult['made'];

interface Source {
  readonly streams: Pick<Streams, 'at'>;
  readonly walker: Walker;
}

type Parts = (source: Source, shown: Shown) => Promise<(part: string) => unknown>;

const partsOf =
  <S>(decider: Foldable<S>, show: (state: S, part: string, load: LoadInstitution) => unknown): Parts =>
  async ({ streams, walker }, { id, revision, institutions = {} }) => {
    const { state } = await streams.at(decider, id, revision, walker);
    const load: LoadInstitution = (each) => streams.at(institution, each, institutions[each] ?? 0, walker);
    return (part) => show(state, part, load);
  };

const inProtocol = (state: Protocol, part: string): unknown => {
  const { fields, forms, questions } = active(state);
  if (part === fields.id) return fields;
  const isQuestion = getById(questions, part) !== undefined;
  return getById(forms, part) ?? (isQuestion ? questionOf(state, part).question : optionOf(state, part).option);
};

/** The parts that responses to writes show, by aggregate. */
const shownParts: Readonly<Record<string, Parts>> = {
  institution: partsOf(institution, (state, part) => {
    const fields = institutionFields(state);
    return part === fields.id ? fields : unityOf(state, part);
  }),
  protocol: partsOf(protocol, inProtocol),
  specialty: partsOf(specialty, specialtyFields),
  user: partsOf(user, (state, part, load) => {
    const fields = userOf(state);
    return part === fields.id ? namedUser(fields, load) : profileOf(fields, part);
  }),
};

/** Returns the body of a response as JSON text. */
export const bodyOf = async (source: Source, made: Made): Promise<string> => {
  if (!isList(made)) return JSON.stringify(await remade(source, made));
  const items: unknown[] = [];
  for (const shown of made) items.push(await remade(source, shown));
  return JSON.stringify({ items });
};

const isList = (made: Made): made is readonly Shown[] => Array.isArray(made);

const remade = async (source: Source, shown: Shown): Promise<unknown> => {
  const parts = shownParts[shown.aggregate];
  if (parts === undefined) throw new Error(`no response shows the aggregate ${shown.aggregate}`);
  const values = await Promise.all(shown.parts.map(await parts(source, shown)));
  return values.length === 1 ? values[0] : { protocol: values[0], form: values[1] };
};
