// Decides whether a reader may see a page. The service decides again on each request.
import { useEffect, useState } from 'react';
import { Navigate, useLocation, useRouteError } from 'react-router';
import { unreachable } from '../api/refusal.js';
import { hasRole, type Role, startSession, useSession } from '../api/session.js';
import { LinkTo } from '../parts/actions.js';
import { Page } from '../parts/page.js';
import { Loading, Refused } from '../parts/states.js';
import { Paragraph } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

/**
 * Whom a page is for. `visitors`: the pages before a sign-in. `account`: the pages of a person. In open mode nobody signs
 * in, so both lead elsewhere.
 */
export type Audience = 'anyone' | 'visitors' | 'account' | readonly Role[];

/** Shows its content once it is known who is signed in. */
export const Started = ({ children }: { readonly children: React.ReactNode }) => {
  const { status } = useSession();
  const [error, setError] = useState<unknown>();
  const start = () => {
    setError(undefined);
    startSession().catch(setError);
  };
  useEffect(start, []);
  if (error !== undefined) return <Refused error={error} onRetry={start} />;
  return status === 'unknown' ? <Loading /> : children;
};

/** Shows a page to its audience, and says to others whom it is for. */
export const For = ({ audience, children }: { readonly audience: Audience; readonly children: React.ReactNode }) => {
  const session = useSession();
  const { states, audiences, nav } = useTexts();
  const { pathname, search } = useLocation();
  if (session.status === 'open' && (audience === 'visitors' || audience === 'account')) {
    return <Elsewhere title={states.noSignIn} advice={states.noSignInAdvice} link={nav.start} />;
  }
  if (audience === 'anyone' || audience === 'visitors') return children;
  if (session.status === 'anonymous') {
    const next = new URLSearchParams({ next: `/console${pathname}${search}` });
    return <Navigate to={`/sign-in?${next}`} replace />;
  }
  if (typeof audience === 'string' || hasRole(session, ...audience)) return children;
  const named = audience.map((role) => audiences[role]).join(', ');
  return <Elsewhere title={states.notAllowed} advice={states.notAllowedFor(named)} link={nav.start} />;
};

const Elsewhere = ({ title, advice, link }: Readonly<Record<'title' | 'advice' | 'link', string>>) => (
  <Page title={title}>
    <Paragraph>{advice}</Paragraph>
    <LinkTo to="/">{link}</LinkTo>
  </Page>
);

export const NoSuchPage = () => {
  const { states, nav } = useTexts();
  return <Elsewhere title={states.notFound} advice={states.notFoundAdvice} link={nav.start} />;
};

/**
 * Shows that a page could not be loaded, because the service is unavailable or was replaced. If the page was loaded, shows
 * that it has a fault.
 */
export const BrokenPage = () => {
  const error = useRouteError();
  // The words differ between browsers, but each message names the import, or what came instead of a script.
  const isNotLoaded =
    error instanceof SyntaxError || (error instanceof TypeError && /import|MIME/i.test(error.message));
  return <Refused error={isNotLoaded ? unreachable(error) : error} onRetry={() => window.location.reload()} />;
};
