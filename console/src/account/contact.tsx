// E-mail and phone. Each counts once the reader has redeemed the code that was sent to it.
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { meKey } from '../api/me.js';
import { Action } from '../parts/actions.js';
import { Column, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { TextField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import type { PartProps } from './account-page.js';
import { CodeForm, SendCode, useSending } from './codes.js';
import { useRevise } from './own-data.js';
import { PhoneFields } from './person-fields.js';

export const Contact = ({ me }: PartProps) => {
  const { signIn, person } = useTexts();
  const { email, auth } = me.value;
  const signInEmail = auth[0]?.email ?? '';
  const isPending = email?.toLowerCase() !== signInEmail.toLowerCase();
  return (
    <Column>
      <Section title={signIn.email}>
        {isPending ? <PendingEmail me={me} signInEmail={signInEmail} /> : <EmailForm me={me} />}
      </Section>
      <Section title={person.phone}>
        <PhoneForms key={me.value.phone} me={me} />
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

const EmailForm = ({ me }: PartProps) => {
  const { account, signIn, actions } = useTexts();
  const revise = useRevise({ me });
  const draft = useDraft({
    from: { email: me.value.email ?? '' },
    send: (_, { email }) => revise(email === undefined ? {} : { email: email.trim() }),
  });
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
  const revise = useRevise({ me });
  const keeping = useDraft({ from: {}, send: () => revise({ email: signInEmail }) });
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

const PhoneForms = ({ me }: PartProps) => {
  const { account } = useTexts();
  const { id, dialingCode, phone } = me.value;
  const redeemed = useRedeemed(id);
  const sending = useSending({ dialingCode: dialingCode ?? '55', phone: '' }, (body) =>
    answerOf(api.POST('/auth-service/change-phone', { body })),
  );
  return (
    <>
      <Paragraph>{phone ? account.phoneNow(`+${dialingCode} ${phone}`) : account.noPhone}</Paragraph>
      <SendCode sending={sending}>
        <PhoneFields field={sending.draft.field} label={account.newPhone} />
      </SendCode>
      {sending.isSent && (
        <CodeForm
          ownerRef={id}
          action={account.confirm}
          onRedeemed={() => redeemed(account.phoneChanged)}
          needsPassword={false}
        />
      )}
    </>
  );
};
