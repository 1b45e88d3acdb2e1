// The sign-up: a person, a profile that an administrator approves, and what to sign in with.
import { useRef } from 'react';
import { useNavigate } from 'react-router';
import { answerOf, api } from '../api/client.js';
import { Refusal } from '../api/refusal.js';
import { signIn, useSession } from '../api/session.js';
import { LinkTo } from '../parts/actions.js';
import { Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { CheckField, PasswordField, TextField } from '../parts/fields.js';
import { Page } from '../parts/page.js';
import { say } from '../parts/said.js';
import { Awaited } from '../parts/states.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { Onward, useRememberedEmail, useTypedEmail, useWithNext } from './onward.js';
import {
  type Choices,
  newProfile,
  PersonFields,
  PhoneFields,
  ProfileFields,
  sentProfile,
  useChoices,
} from './person-fields.js';
import { useLeadOn } from './sign-in-page.js';

const BRAZIL = '55';

const newPerson = {
  firstName: '',
  lastName: '',
  document: '',
  birthDate: '',
  gender: '' as Parameters<typeof PersonFields>[0]['genders'][number] | '',
  dialingCode: BRAZIL,
  phone: '',
};

const unsigned = { ...newPerson, ...newProfile, password: '', acceptTerms: false };

const pointers = {
  email: '/auth/email',
  password: '/auth/password',
  ...Object.fromEntries(Object.keys(newProfile).map((name) => [name, `/profiles/0/${name}`])),
};

/** Signs up. The dry run first finds all faults at once, and does not count as a sign-up. */
const signUp = async ({ acceptTerms, email, password, ...typed }: typeof unsigned & { readonly email: string }) => {
  const { type, documentDoctor, documentDoctorState, documentDoctorUpdatedAt, specialties, ...person } = typed;
  const profile = sentProfile({ type, documentDoctor, documentDoctorState, documentDoctorUpdatedAt, specialties });
  const named = profile.specialties.map((description) => ({ description }));
  const body = {
    ...person,
    document: person.document || null,
    auth: { email, password },
    profiles: [{ ...profile, specialties: named }],
  };
  const tried = { ...body, ...(acceptTerms && { acceptTerms }) };
  const { errors } = (await answerOf(api.POST('/auth-service/signup-model', { body: tried }))).value;
  if (errors.length > 0 || !acceptTerms) throw new Refusal({ code: 'fields-refused', title: '', detail: '', errors });
  return answerOf(api.POST('/auth-service/signup', { body: { ...body, acceptTerms } }));
};

export const SignUpPage = () => {
  const { signUp: texts, nav } = useTexts();
  const withNext = useWithNext();
  const choices = useChoices();
  if (useSession().status === 'signed-in') return <Onward to="/account" />;
  return (
    <Page title={nav.signUp} intro={texts.intro} isNarrow>
      <Awaited query={choices}>{(found) => <SignUpForm choices={found} />}</Awaited>
      <Paragraph>
        {texts.hasAccount} <LinkTo to={withNext('/sign-in')}>{nav.signIn}</LinkTo>
      </Paragraph>
    </Page>
  );
};

const SignUpForm = ({ choices }: { readonly choices: Choices }) => {
  const { signUp: texts, person, optional, newPassword: password, signIn: names, nav } = useTexts();
  const navigate = useNavigate();
  const withNext = useWithNext();
  const leadOn = useLeadOn();
  const welcome = (isWithheld: boolean) =>
    say(isWithheld ? texts.withheld : texts.done, { label: texts.toCode, onPress: () => void navigate('/activate') });
  const toSignIn = () => {
    say(texts.signInNow);
    void navigate(withNext('/sign-in'));
  };
  const goOn = useRef<() => unknown>(undefined);
  const draft = useDraft({
    from: { ...unsigned, email: useTypedEmail() },
    send: async (typed) => {
      const email = typed.email.trim();
      const { isMessageWithheld } = await signUp({ ...typed, email });
      // The reader is signed up, even if the service or the connection fails now.
      await signIn(email, typed.password).then(
        () => welcome(isMessageWithheld),
        (error: unknown) => {
          goOn.current = () => leadOn(error, isMessageWithheld ? { withheld: '' } : {}) || toSignIn();
        },
      );
    },
    pointers,
  });
  const { field } = draft;
  useRememberedEmail(draft.values.email);
  return (
    <Form draft={draft} action={nav.signUp} onSent={() => goOn.current?.()}>
      <Section title={texts.person}>
        <PersonFields field={field} genders={choices.enumerations.genders} />
        <PhoneFields field={field} label={optional(person.phone)} />
      </Section>
      <Section title={texts.profile}>
        <ProfileFields field={field} choices={choices} />
      </Section>
      <Section title={texts.access}>
        <TextField {...field('email')} label={names.email} type="email" purpose="username" />
        <PasswordField {...field('password')} label={names.password} hint={password.rule} purpose="new-password" />
      </Section>
      <CheckField {...field('acceptTerms')} label={texts.acceptTerms} />
    </Form>
  );
};
