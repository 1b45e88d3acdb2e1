// The way between the pages before a sign-in, and to the page after it.
import { useEffect, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { pageAfterSignIn } from '../layout/next.js';

/** Returns a function that adds `next` of this page to the address of another one. */
export const useWithNext = () => {
  const [params] = useSearchParams();
  const next = params.get('next');
  return (path: string, more: Readonly<Record<string, string>> = {}): string => {
    const query = `${new URLSearchParams({ ...more, ...(next && { next }) })}`;
    return query === '' ? path : `${path}?${query}`;
  };
};

const CONSOLE = '/console';

/** Leads to `next`, or to another page if there is no `next`. */
export const Onward = ({ to = '/' }: { readonly to?: string }) => {
  const [params] = useSearchParams();
  const next = pageAfterSignIn(params.get('next')) ?? CONSOLE + to;
  const isPage = next.startsWith(`${CONSOLE}/`);
  useEffect(() => {
    if (!isPage) window.location.replace(next);
  }, [isPage, next]);
  return isPage && <Navigate to={next.slice(CONSOLE.length)} replace />;
};

// In memory only, so that the next page need not ask for the address again.
let lastEmail = '';

/** Returns the e-mail address that the reader had typed when the page was opened. */
export const useTypedEmail = (): string => useState(lastEmail)[0];

export const useRememberedEmail = (email: string): void =>
  useEffect(() => {
    lastEmail = email;
  }, [email]);
