// The approvals: lists of profiles, and beside them the profile that is open.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { answerOf, api } from '../api/client.js';
import { useList } from '../api/lists.js';
import { ItemList } from '../parts/item-list.js';
import { Keys } from '../parts/keys.js';
import { Page } from '../parts/page.js';
import { say } from '../parts/said.js';
import { Awaited, Empty } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Ago, Paragraph, Quiet } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { DECIDED, type Decision, OPENED_BY_ITSELF } from './decide.js';
import { Opened } from './opened.js';
import { nextIn, REFRESH_MS, TABS, type TabName, tabIn, tabNames } from './tabs.js';
import { nameOf } from './timeline.js';

const useProfiles = (tab: TabName) =>
  useList({
    key: ['profiles', tab],
    page: (cursor) => {
      const query = { ...TABS[tab].query, total: 'true', ...(cursor && { cursor }) } as const;
      return answerOf(api.GET('/profiles', { params: { query } }));
    },
    everyMs: REFRESH_MS,
  });

interface Place {
  readonly userId: string;
  readonly id: string;
}

const addressOf = (tab: TabName, place?: Place) =>
  `/approvals${place ? `/${place.userId}/${place.id}` : ''}?${TABS[tab].search}`;

export const ApprovalsPage = () => {
  const texts = useTexts();
  const { approvals, profileTypes } = texts;
  const { userId, profileId } = useParams();
  const [search] = useSearchParams();
  const tab = tabIn(search);
  const list = useProfiles(tab);
  const leave = useLeave(tab, list.data?.items ?? []);
  const region = useRef<HTMLDivElement>(null);
  const count = list.data?.total ? ` ${list.data.total}` : '';
  useReturn(profileId);
  const tabs = tabNames.map((each) => ({
    to: addressOf(each),
    label: approvals.tabs[each] + (each === tab ? count : ''),
    isOpen: each === tab,
  }));
  const isOpen = userId !== undefined && profileId !== undefined;
  return (
    <Page title={approvals.title} aside={<Keys region={region} keys={approvals.keys} />}>
      <div className={isOpen ? 'wide-only' : ''}>
        <Tabs label={approvals.lists} tabs={tabs} />
      </div>
      <div ref={region} className={isOpen ? 'split open' : 'split'}>
        <Awaited query={list}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title={approvals.empty[tab]}>{approvals.emptyAdvice[tab]}</Empty>
            ) : (
              <ItemList
                {...list}
                label={approvals.tabs[tab]}
                items={items}
                keyOf={({ id }) => id}
                to={(item) => addressOf(tab, item)}
                open={profileId}
                show={({ user, type, createdAt }) => (
                  <>
                    {nameOf(texts, user)}
                    <br />
                    <Quiet>
                      {profileTypes[type]} · {approvals.created} <Ago at={createdAt} />
                    </Quiet>
                  </>
                )}
              />
            )
          }
        </Awaited>
        {isOpen ? (
          <Opened
            key={`${profileId} ${tab}`}
            userId={userId}
            profileId={profileId}
            back={addressOf(tab)}
            onDecided={(name, decision) => void leave({ userId, id: profileId }, name, decision)}
          />
        ) : (
          <div className="wide-only">{list.data?.items.length ? <Paragraph>{approvals.choose}</Paragraph> : null}</div>
        )}
      </div>
    </Page>
  );
};

/** Brings the focus back to the list when a profile is closed, but not when the next one opens. */
const useReturn = (profileId: string | undefined) => {
  const last = useRef(profileId);
  useEffect(() => {
    const closed = last.current;
    last.current = profileId;
    if (profileId !== undefined || closed === undefined) return;
    const item = document.querySelector<HTMLElement>(`a.item[href*="${CSS.escape(closed)}"]`);
    (item ?? document.querySelector('h1'))?.focus();
  }, [profileId]);
};

/** Returns what happens after a decision: it is said, with the way back, and the next profile of the list opens. */
const useLeave = (tab: TabName, items: readonly Place[]) => {
  const { approvals } = useTexts();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (place: Place, name: string, decision: Decision) => {
    const decided = addressOf(DECIDED[decision], place);
    const isQueue = tab === 'waiting' || tab === 'changed';
    const next = nextIn(items, place.id);
    say(approvals.said[decision](name), { label: approvals.open, onPress: () => void navigate(decided) });
    const refreshed = queries.invalidateQueries({ queryKey: ['profiles'] });
    if (isQueue && next === undefined) await refreshed;
    // The reader may have gone elsewhere while the service was slow.
    if (!window.location.pathname.endsWith(`/${place.id}`)) return;
    await navigate(isQueue ? addressOf(tab, next) : decided, { state: OPENED_BY_ITSELF });
    // While the profile is shown, this would read its history again, and each reading is recorded.
    queries.removeQueries({ queryKey: ['approvals', place.userId], type: 'inactive' });
  };
};
