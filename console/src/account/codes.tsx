// The codes that prove a contact. One form sends a code, and another form redeems it.
import { type ReactNode, useEffect, useState } from 'react';
import { answerOf, api } from '../api/client.js';
import { Refusal } from '../api/refusal.js';
import { type Draft, Form, useDraft } from '../parts/draft.js';
import { PasswordField, TextField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Quiet } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

interface CodeFormProps {
  readonly ownerRef: string;
  readonly action: string;
  readonly onRedeemed: () => void;
  /** Whether the code is one of a new e-mail address, which needs the password. Default: a refusal brings the field. */
  readonly needsPassword?: boolean;
}

const PASSWORD_MAY_HELP = ['code-refused', 'current-password-refused'];

export const CodeForm = ({ ownerRef, action, onRedeemed, needsPassword }: CodeFormProps) => {
  const { codes, signIn } = useTexts();
  const [isRefused, setRefused] = useState(false);
  const draft = useDraft({
    from: { code: '', password: '' },
    send: async ({ code, password }) => {
      const body = { ownerRef, code: code.trim(), ...(password && { password }) };
      await answerOf(api.POST('/auth-service/activate', { body })).catch((error: unknown) => {
        setRefused(error instanceof Refusal && PASSWORD_MAY_HELP.includes(error.code));
        throw error;
      });
    },
    places: { 'code-refused': 'code', 'current-password-refused': 'password' },
    isKept: false,
  });
  return (
    <Form draft={draft} action={action} onSent={onRedeemed}>
      <CodeField {...draft.field('code')} />
      {(needsPassword ?? isRefused) && (
        <PasswordField
          {...draft.field('password')}
          label={signIn.password}
          {...(!needsPassword && { hint: codes.passwordHint })}
          purpose="current-password"
        />
      )}
    </Form>
  );
};

export const CodeField = (field: Omit<Parameters<typeof TextField>[0], 'label'>) => (
  <TextField {...field} label={useTexts().codes.code} purpose="one-time-code" isNumeric />
);

interface Sent {
  readonly expiresAt: string;
  /** When another code can be sent. */
  readonly resendAfter?: string;
}

/** Returns the form that sends a code, and how many seconds it has to wait before it can send another one. */
export const useSending = <V extends Readonly<Record<string, unknown>>>(
  from: V,
  send: (values: V) => Promise<{ readonly value: Sent }>,
) => {
  const { codes } = useTexts();
  const [sent, setSent] = useState<Sent>();
  const draft = useDraft({
    from,
    send: async (values) => {
      setSent((await send(values)).value);
      say(codes.sent);
    },
    isKept: false,
  });
  return { draft, isSent: sent !== undefined, waitS: useSecondsUntil(sent?.resendAfter) };
};

// The clock of the device may be wrong, and the service never makes a reader wait longer.
const LONGEST_WAIT_S = 60;

const useSecondsUntil = (at = ''): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.min(LONGEST_WAIT_S, Math.max(0, Math.ceil((Date.parse(at) - now) / 1_000))) || 0;
};

interface SendCodeProps {
  readonly sending: { readonly draft: Pick<Draft<never>, 'send' | 'refusal' | 'isGuarded' | 'isBusy'> } & Readonly<
    Record<'isSent', boolean> & Record<'waitS', number>
  >;
  /** Whether most readers have the code already, and came to redeem it. */
  readonly isSecond?: boolean;
  readonly onSent?: () => void;
  readonly children?: ReactNode;
}

export const SendCode = ({ sending: { draft, isSent, waitS }, isSecond = isSent, onSent, children }: SendCodeProps) => {
  const { codes } = useTexts();
  return (
    <Form
      draft={draft}
      look={isSecond ? 'plain' : 'main'}
      {...(waitS === 0 && { action: isSent ? codes.sendAgain : codes.send })}
      {...(onSent && { onSent })}
    >
      {children}
      {waitS > 0 && <Quiet>{codes.again(waitS)}</Quiet>}
    </Form>
  );
};
