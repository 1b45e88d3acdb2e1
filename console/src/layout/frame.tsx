// The frame of every page: the navigation at its side, or at the bottom of a narrow screen.
import { Badge } from '@mantine/core';
import { NavLink, Outlet } from 'react-router';
import { useDecisions } from '../api/me.js';
import { hasRole, type Session, useSession } from '../api/session.js';
import { useWaiting } from '../api/waiting.js';
import { Sign, type SignName } from '../parts/signs.js';
import { Notice } from '../parts/states.js';
import type { Texts } from '../texts/en.js';
import { useTexts } from '../texts/language.js';
import { Freshness } from './freshness.js';
import { Started } from './guard.js';
import { Preferences } from './preferences.js';
import { SignInOver } from './sign-in-over.js';

interface Entry {
  readonly to: string;
  readonly sign: SignName;
  readonly label: (nav: Texts['nav']) => string;
  readonly isFor: (session: Session) => boolean;
  /** Whether the entry shows the number of profiles that wait. */
  readonly counts?: boolean;
}

const ENTRIES: readonly Entry[] = [
  { to: '/', sign: 'start', label: ({ start }) => start, isFor: () => true },
  {
    to: '/approvals',
    sign: 'approvals',
    label: ({ approvals }) => approvals,
    isFor: (session) => hasRole(session, 'ADMINISTRATOR'),
    counts: true,
  },
  { to: '/account', sign: 'account', label: ({ account }) => account, isFor: (session) => 'who' in session },
  { to: '/sign-in', sign: 'account', label: ({ signIn }) => signIn, isFor: ({ status }) => status === 'anonymous' },
];

export const Frame = () => {
  const session = useSession();
  const { nav, states } = useTexts();
  const waiting = useWaiting()?.total;
  useDecisions();
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {nav.skip}
      </a>
      <nav aria-label={nav.label}>
        {ENTRIES.filter(({ isFor }) => isFor(session)).map(({ to, sign, label, counts }) => (
          <NavLink key={to} className="entry" to={to} end={to === '/'}>
            <Sign name={sign} />
            {label(nav)}
            {counts && waiting ? (
              <Badge component="span" size="sm" aria-label={nav.waiting(waiting)}>
                {waiting}
              </Badge>
            ) : null}
          </NavLink>
        ))}
        <Preferences />
        <Freshness />
      </nav>
      <main id="content">
        {session.status === 'open' && <Notice title={states.openMode} tone="warning" />}
        <Started>
          <Outlet />
        </Started>
      </main>
      {session.status === 'ended' && <SignInOver />}
    </div>
  );
};
