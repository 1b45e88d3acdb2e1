// The decision on a profile, with its reason.
import { type KeyboardEvent, type MouseEvent, type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { answerOf, api } from '../api/client.js';
import { Refusal } from '../api/refusal.js';
import { Action } from '../parts/actions.js';
import { Line } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { LongField } from '../parts/fields.js';
import { useKeys } from '../parts/keys.js';
import { say } from '../parts/said.js';
import { useTexts } from '../texts/language.js';
import type { UserProfile } from './timeline.js';

/** The status that each decision gives. */
export const DECIDED = { approve: 'APPROVED', reject: 'REJECTED' } as const;
export type Decision = keyof typeof DECIDED;

const LOOKS = { approve: 'main', reject: 'danger' } as const satisfies { readonly [D in Decision]: string };

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
  const decision = chosen?.etag === etag ? possible.find((each) => each === chosen.decision) : undefined;

  const draft = useDraft({
    from: { reason: '' },
    send: async ({ reason }) => {
      if (decision === undefined) throw new Refusal({ code: 'no-decision', title: approvals.chooseFirst, detail: '' });
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
  const chooseByKey = (next: Decision) => {
    choose(next);
    if (!possible.includes(next)) say(approvals.already[next]);
    const isSent = next === 'approve' && possible.includes(next);
    box.current?.querySelector<HTMLElement>(isSent ? 'button' : 'textarea')?.focus();
    isByKey.current = isSent;
  };
  useKeys(region, { a: () => chooseByKey('approve'), r: () => chooseByKey('reject') });

  // A reader who types on means the reason. A space would press the button.
  const typeOn = ({ key, ctrlKey, metaKey, repeat }: KeyboardEvent) => {
    const isText = key.length === 1 && !ctrlKey && !metaKey && !repeat;
    if (isByKey.current && isText) box.current?.querySelector('textarea')?.focus();
  };
  // After a fast response, the second click of a double click would decide on the next person.
  const ignoreSecond = (event: MouseEvent) => {
    if (event.detail <= 1) return;
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
            <Action key={each} sends look={LOOKS[each]} isBusy={draft.isBusy} onPress={() => choose(each)}>
              {approvals.decisions[each]}
            </Action>
          ))}
        </Line>
      </Form>
    </fieldset>
  );
};
