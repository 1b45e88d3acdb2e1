// E-mail and phone. Each counts once the reader has redeemed the code that was sent to it.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client.js';
import { meKey } from '../api/me.js';
import { Action } from '../parts/actions.js';
import { Column, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { TextField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { codeIn, phoneOf } from '../texts/phones.js';
import type { PartProps } from './account-page.js';
import { CodeForm, SendCode, useSending } from './codes.js';
import { useRevise } from './own-data.js';
import { PhoneFields } from './person-fields.js';

export const Contact = ({ me }: PartProps) => {
  const { signIn, person } = useTexts();
  const [changes, setChanges] = useState(0);
  return (
    <Column>
      <Section title={signIn.email}>
        <EmailForms me={me} />
      </Section>
      <Section title={person.phone}>
        <PhoneForms key={changes} me={me} onChanged={() => setChanges(changes + 1)} />
      </Section>
    </Column>
  );
};

/** Returns a function that says what a redeemed code did, and shows the new state. */
const useRedeemed = (userId: string) => {
  const queries = useQueryClient();
  return (message: string) => {
    say(message);
    void queries.invalidateQueries({ queryKey: meKey(userId) });
  };
};

const EmailForms = ({ me }: PartProps) => {
  const { account, signIn, actions } = useTexts();
  const { email: stored, auth } = me.value;
  const signInEmail = auth[0]?.email ?? '';
  const revise = useRevise();
  const draft = useDraft({
    from: { email: stored ?? '' },
    of: me,
    send: (_, { email }, seen) => revise(email === undefined ? {} : { email: email.trim() }, seen),
  });
  const isPending = stored?.toLowerCase() !== signInEmail.toLowerCase();
  // A change in another window takes away nothing that was typed here.
  if (isPending && !draft.isGuarded) return <PendingEmail me={me} signInEmail={signInEmail} />;
  return (
    <Form draft={draft} action={actions.save}>
      <TextField {...draft.field('email')} label={signIn.email} hint={account.emailHint} type="email" purpose="email" />
    </Form>
  );
};

const PendingEmail = ({ me, signInEmail }: PartProps & { readonly signInEmail: string }) => {
  const { account } = useTexts();
  const { id, email } = me.value;
  const redeemed = useRedeemed(id);
  const revise = useRevise();
  const keeping = useDraft({ from: {}, of: me, send: (_, _changed, seen) => revise({ email: signInEmail }, seen) });
  return (
    <>
      <Paragraph>{account.pending(email ?? '', signInEmail)}</Paragraph>
      <CodeForm
        ownerRef={id}
        action={account.confirm}
        onRedeemed={() => redeemed(account.emailChanged(email ?? ''))}
        needsPassword
      />
      <Form draft={keeping}>
        <Action sends isBusy={keeping.isBusy}>
          {account.keep(signInEmail)}
        </Action>
      </Form>
    </>
  );
};

const PhoneForms = ({ me, onChanged }: PartProps & { readonly onChanged: () => void }) => {
  const { account } = useTexts();
  const { id, dialingCode } = me.value;
  const phone = phoneOf(me.value);
  const redeemed = useRedeemed(id);
  const sending = useSending({ dialingCode: codeIn(dialingCode) || '55', phone: '' }, (body) =>
    answerOf(api.POST('/auth-service/change-phone', { body })),
  );
  return (
    <>
      <Paragraph>{phone ? account.phoneNow(phone) : account.noPhone}</Paragraph>
      <SendCode sending={sending}>
        <PhoneFields field={sending.draft.field} label={account.newPhone} />
      </SendCode>
      {sending.isSent && (
        <CodeForm
          ownerRef={id}
          action={account.confirm}
          onRedeemed={() => {
            redeemed(account.phoneChanged);
            onChanged();
          }}
          needsPassword={false}
        />
      )}
    </>
  );
};
