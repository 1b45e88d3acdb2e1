// The sign-in. A refusal that names another step leads to that step.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { type Problem, Refusal } from '../api/refusal.js';
import { useSession } from '../api/session.js';
import { LinkTo } from '../parts/actions.js';
import { Column } from '../parts/boxes.js';
import { Page } from '../parts/page.js';
import { Notice } from '../parts/states.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { keepsCookies } from '../texts/stored.js';
import { Onward, useTypedEmail, useWithNext } from './onward.js';
import { SignInForm } from './sign-in-form.js';

type Step = readonly [path: string, query: Readonly<Record<string, string>>];

const STEPS: Readonly<Record<string, (problem: Problem) => Step>> = {
  'activation-required': ({ ownerRef }) => ['/activate', { ownerRef: String(ownerRef) }],
  'password-change-required': () => ['/password', { why: 'initial' }],
};

/** Returns a function that leads to the step which a refused sign-in needs first. It returns whether there is one. */
export const useLeadOn = () => {
  const navigate = useNavigate();
  const withNext = useWithNext();
  return (error: unknown, more: Step[1] = {}): boolean => {
    const step = error instanceof Refusal && STEPS[error.code]?.(error.problem);
    if (step) void navigate(withNext(step[0], { ...step[1], ...more }));
    return Boolean(step);
  };
};

export const SignInPage = () => {
  const { signIn, nav } = useTexts();
  const withNext = useWithNext();
  const leadOn = useLeadOn();
  const email = useTypedEmail();
  const [hasCookies] = useState(keepsCookies);
  if (useSession().status === 'signed-in') return <Onward />;
  return (
    <Page title={nav.signIn} isNarrow>
      {!hasCookies && (
        <Notice title={signIn.noCookies} tone="warning">
          {signIn.noCookiesAdvice}
        </Notice>
      )}
      <SignInForm email={email} onRefused={leadOn} />
      <Column tight>
        <LinkTo to={withNext('/password')}>{signIn.forgotten}</LinkTo>
        <Paragraph>
          {signIn.noAccount} <LinkTo to={withNext('/sign-up')}>{nav.signUp}</LinkTo>
        </Paragraph>
      </Column>
    </Page>
  );
};
