// The decision on a profile, with its reason.
import { type KeyboardEvent, type MouseEvent, type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'react-router';
import { answerOf, api } from '../api/client.js';
import { Refusal } from '../api/refusal.js';
import { Action } from '../parts/actions.js';
import { Line } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { LongField } from '../parts/fields.js';
import { useKeys, useRest } from '../parts/keys.js';
import { say } from '../parts/said.js';
import { useTexts } from '../texts/language.js';
import type { UserProfile } from './timeline.js';

/** The status that each decision gives. */
export const DECIDED = { approve: 'APPROVED', reject: 'REJECTED' } as const;
export type Decision = keyof typeof DECIDED;

const LOOKS = { approve: 'main', reject: 'danger' } as const satisfies { readonly [D in Decision]: string };

/** The state of an address to which a decision has led. */
export const OPENED_BY_ITSELF = 'opened by itself';

/** Waits for a change. If somebody else was faster, the page shows the new state, and the promise says who. */
export type Settled = (change: Promise<unknown>) => Promise<void>;

interface DecideProps {
  /** Where the keys of the decision work. */
  readonly region: RefObject<HTMLElement | null>;
  readonly profile: UserProfile;
  readonly etag: string;
  readonly onDecided: (decision: Decision) => void;
  readonly settled: Settled;
}

export const Decide = ({ region, profile, etag, onDecided, settled }: DecideProps) => {
  const { approvals } = useTexts();
  const box = useRef<HTMLFieldSetElement>(null);
  const { userId: id, id: profileId, approvalStatus, changedSinceApproval } = profile;
  const possible = (Object.keys(DECIDED) as Decision[]).filter(
    (each) => DECIDED[each] !== approvalStatus || changedSinceApproval,
  );
  // What Ctrl+Enter sends: nothing before a choice, because the text of the reason does not say which decision it is for.
  // A choice ends with the state that the reader saw. It is rendered at once, because a button chooses it just before the
  // form is sent.
  const [chosen, setChosen] = useState<{ readonly decision: Decision; readonly etag: string }>();
  const choose = (next: Decision) => flushSync(() => setChosen({ decision: next, etag }));
  // Who goes on with what they did before decides on nobody who has just come: the buttons of another state stand at the
  // same place.
  const isResting = useRest(etag, useLocation().state === OPENED_BY_ITSELF ? undefined : etag);
  const isSent = useRef(false);
  const decision = chosen?.etag === etag ? possible.find((each) => each === chosen.decision) : undefined;

  const draft = useDraft({
    from: { reason: '' },
    send: async ({ reason }) => {
      if (decision === undefined) throw new Refusal({ code: 'no-decision', title: approvals.chooseFirst, detail: '' });
      isSent.current = true;
      const params = { path: { id, profileId }, header: { 'If-Match': etag } };
      const sent = { params, body: { reason: reason.trim() || null } };
      await settled(
        decision === 'approve'
          ? answerOf(api.PATCH('/users/{id}/profiles/{profileId}/approve', sent))
          : answerOf(api.PATCH('/users/{id}/profiles/{profileId}/reject', sent)),
      );
    },
  });

  // Whether A gave the focus to its button.
  const isByKey = useRef(false);
  // A letter takes back no choice that has a reason or was sent. A button does.
  const isFixed = (next: Decision) =>
    (isSent.current || draft.values.reason !== '') && chosen !== undefined && chosen.decision !== next;
  const chooseByKey = (next: Decision) => {
    if (isResting || isFixed(next)) return;
    choose(next);
    if (!possible.includes(next)) say(approvals.already[next]);
    const isReady = next === 'approve' && possible.includes(next);
    box.current?.querySelector<HTMLElement>(isReady ? 'button' : 'textarea')?.focus();
    isByKey.current = isReady;
  };
  useKeys(region, { a: () => chooseByKey('approve'), r: () => chooseByKey('reject') });

  // Who has chosen otherwise sees the new choice before it is sent.
  const press = (event: MouseEvent, next: Decision) => {
    if (draft.isBusy || (chosen?.etag === etag && chosen.decision !== next)) event.preventDefault();
    if (!draft.isBusy) choose(next);
  };

  // A reader who types on means the reason. A space would press the button.
  const typeOn = ({ key, ctrlKey, metaKey, repeat }: KeyboardEvent) => {
    const isText = key.length === 1 && !ctrlKey && !metaKey && !repeat;
    if (isByKey.current && isText) box.current?.querySelector('textarea')?.focus();
  };
  // After a fast response, the second click of a double click would decide on the next person.
  const ignoreSecond = (event: MouseEvent) => {
    if (event.detail <= 1 && !isResting) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <fieldset
      ref={box}
      style={{ border: 0, margin: 0, minWidth: 0, padding: 0 }}
      onKeyDown={typeOn}
      onBlur={() => {
        isByKey.current = false;
      }}
      onClickCapture={ignoreSecond}
    >
      <Form draft={draft} onSent={() => decision && onDecided(decision)}>
        <LongField
          {...draft.field('reason')}
          label={approvals.reason}
          hint={decision ? approvals.sends[decision] : <span className="wide-only">{approvals.sends.none}</span>}
        />
        <Line>
          {possible.map((each) => (
            <Action
              key={each}
              sends
              look={LOOKS[each]}
              isBusy={draft.isBusy}
              isResting={isResting}
              onPress={(event) => press(event, each)}
            >
              {approvals.decisions[each]}
            </Action>
          ))}
        </Line>
      </Form>
    </fieldset>
  );
};
