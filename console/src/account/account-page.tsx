// The account of the reader. Each part of it has an address.
import { useParams } from 'react-router';
import type { Answer } from '../api/client.js';
import { useMe } from '../api/me.js';
import type { components } from '../api/schema.js';
import { NoSuchPage } from '../layout/guard.js';
import { Page } from '../parts/page.js';
import { Awaited } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { useTexts } from '../texts/language.js';
import { Contact } from './contact.js';
import { OwnData } from './own-data.js';
import { AddProfile, OwnProfiles, RejectedProfile } from './own-profiles.js';
import { Security } from './security.js';

export interface PartProps {
  readonly me: Answer<components['schemas']['User']>;
}

const PARTS = {
  profiles: OwnProfiles,
  data: OwnData,
  contact: Contact,
  security: Security,
  'new-profile': AddProfile,
  profile: RejectedProfile,
} as const satisfies Readonly<Record<string, (props: PartProps) => React.ReactNode>>;
const TABS = ['profiles', 'data', 'contact', 'security'] as const;

const isPart = (part: string): part is keyof typeof PARTS => Object.hasOwn(PARTS, part);

export const AccountPage = () => {
  const { part = 'profiles' } = useParams();
  const { account, nav } = useTexts();
  const me = useMe();
  if (!isPart(part)) return <NoSuchPage />;
  const Part = PARTS[part];
  const tabs = TABS.map((each) => ({
    to: each === 'profiles' ? '/account' : `/account/${each}`,
    label: account.tabs[each],
    isOpen: each === part,
  }));
  return (
    <Page key={part} title={account.titles[part]} isNarrow>
      <Tabs label={nav.account} tabs={tabs} />
      <Awaited query={me}>{(answer) => <Part me={answer} />}</Awaited>
    </Page>
  );
};
