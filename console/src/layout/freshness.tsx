// One line of the frame that says if a page may be old. It moves neither the page nor the focus.
import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { Behind } from '../api/client.js';
import { Refusal } from '../api/refusal.js';
import { useTexts } from '../texts/language.js';
import { wordsOf } from '../texts/words-of.js';

const AGAIN_MS = 15_000;

/** Returns whether a query shows what it read before, because it cannot read now. */
const isOld = ({ state: { data, error } }: Query): boolean => data !== undefined && error instanceof Refusal;

/** Returns how far a query is behind: an answer, or a page of a list. */
const behindIn = ({ state }: Query): Behind | undefined =>
  [state.data, ...(Object(state.data).pages ?? [])].map((each) => Object(each).behind).find(Boolean);

export const Freshness = () => {
  const texts = useTexts();
  const queries = useQueryClient();
  const cache = queries.getQueryCache();
  const open = () => cache.findAll({ type: 'active' });
  const subscribe = (changed: () => void) => cache.subscribe(notifyManager.batchCalls(changed));
  const error = useSyncExternalStore(subscribe, () => open().find(isOld)?.state.error ?? null);
  const behind = useSyncExternalStore(subscribe, () => open().map(behindIn).find(Boolean));
  const isFailing = error !== null;
  useEffect(() => {
    if (!isFailing) return undefined;
    const again = () => void queries.refetchQueries({ type: 'active', predicate: isOld });
    const timer = setInterval(again, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isFailing, queries]);
  return (
    <div role="status" className="freshness">
      {isFailing ? texts.states.old(wordsOf(texts, error).title) : behind && texts.states.behind(behind.seconds)}
    </div>
  );
};
