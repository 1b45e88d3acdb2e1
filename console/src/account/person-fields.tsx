// The fields of a person and of a profile. The sign-up and the account share them.
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import type { components } from '../api/schema.js';
import type { Role } from '../api/session.js';
import type { FieldOf } from '../parts/draft.js';
import { ChoiceField, TextField, TextsField } from '../parts/fields.js';
import { useTexts } from '../texts/language.js';

type Gender = components['schemas']['SignUpEnumerations']['genders'][number];
export type Choices = components['schemas']['SignUpModel'];

/** Returns the query of what a sign-up can choose from. */
export const useChoices = () =>
  useQuery({
    queryKey: ['sign-up', 'model'],
    queryFn: async () => (await answerOf(api.POST('/auth-service/signup-model', { body: {} }))).value,
    staleTime: 600_000,
  });

type TextOf<N extends string> = (name: N) => FieldOf<string>;

interface PersonFieldsProps {
  readonly field: TextOf<'firstName' | 'lastName' | 'document' | 'birthDate'> &
    ((name: 'gender') => FieldOf<Gender | ''>);
  readonly genders: readonly Gender[];
}

export const PersonFields = ({ field, genders }: PersonFieldsProps) => {
  const { person, optional, genders: names } = useTexts();
  const choices = genders.map((value) => ({ value, label: names[value] }));
  return (
    <>
      <TextField {...field('firstName')} label={person.firstName} purpose="given-name" />
      <TextField {...field('lastName')} label={person.lastName} purpose="family-name" />
      <TextField {...field('document')} label={optional(person.document)} />
      <TextField {...field('birthDate')} label={optional(person.birthDate)} type="date" purpose="bday" />
      <ChoiceField
        {...field('gender')}
        label={optional(person.gender)}
        choices={[{ value: '', label: person.noGender }, ...choices]}
      />
    </>
  );
};

interface PhoneFieldsProps {
  readonly field: TextOf<'dialingCode' | 'phone'>;
  readonly label: string;
}

export const PhoneFields = ({ field, label }: PhoneFieldsProps) => {
  const { person } = useTexts();
  return (
    <>
      <TextField {...field('dialingCode')} label={person.dialingCode} type="tel" purpose="tel-country-code" />
      <TextField {...field('phone')} label={label} type="tel" purpose="tel-national" />
    </>
  );
};

/** The values of a profile in a form. */
export const newProfile = {
  type: 'DOCTOR_GENERALIST' as Role,
  documentDoctor: '',
  documentDoctorState: '',
  documentDoctorUpdatedAt: '',
  specialties: [] as readonly string[],
};

const isClinical = (type: Role): boolean => type !== 'ADMINISTRATOR' && type !== 'AUDITOR';

/** Returns a profile as the service takes it. Fields that the form does not show for its type are not sent. */
export const sentProfile = ({ type, ...typed }: typeof newProfile) => {
  const { documentDoctor, specialties, ...others } = isClinical(type) ? typed : newProfile;
  return { ...others, type, documentDoctor: documentDoctor.trim() || null, specialties: [...specialties] };
};

interface ProfileFieldsProps {
  readonly field: TextOf<'documentDoctor' | 'documentDoctorState' | 'documentDoctorUpdatedAt'> &
    ((name: 'type') => FieldOf<Role>) &
    ((name: 'specialties') => FieldOf<readonly string[]>);
  readonly choices: Choices;
  /** Whether the profile exists. Its type stays, and the date of its registration matters. */
  readonly isOld?: boolean;
}

export const ProfileFields = ({ field, choices, isOld = false }: ProfileFieldsProps) => {
  const { timeline, person, profileTypes } = useTexts();
  const { fields } = timeline;
  const type = field('type');
  const types = choices.enumerations.profileTypes.map((value) => ({ value, label: profileTypes[value] }));
  return (
    <>
      {!isOld && <ChoiceField {...type} label={fields.type} choices={types} />}
      {isClinical(type.value) && (
        <>
          <TextField {...field('documentDoctor')} label={fields.documentDoctor} hint={person.registrationHint} />
          <TextField {...field('documentDoctorState')} label={fields.documentDoctorState} hint={person.stateHint} />
          {isOld && (
            <TextField {...field('documentDoctorUpdatedAt')} label={fields.documentDoctorUpdatedAt} type="date" />
          )}
          <TextsField
            {...field('specialties')}
            label={fields.specialties}
            hint={person.specialtiesHint}
            suggestions={choices.specialties.map(({ name }) => name)}
          />
        </>
      )}
    </>
  );
};
