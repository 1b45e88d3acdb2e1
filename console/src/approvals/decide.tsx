// The decision on a profile, with its reason.
import { type RefObject, useRef, useState } from 'react';
import { answerOf, api } from '../api/client.js';
import { Refusal } from '../api/refusal.js';
import { Action } from '../parts/actions.js';
import { Line } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { LongField } from '../parts/fields.js';
import { useKeys } from '../parts/keys.js';
import { useTexts } from '../texts/language.js';
import type { UserProfile } from './timeline.js';

/** The status that each decision gives. */
export const DECIDED = { approve: 'APPROVED', reject: 'REJECTED' } as const;
export type Decision = keyof typeof DECIDED;

type Sent = {
  readonly params: {
    readonly path: { readonly id: string; readonly profileId: string };
    readonly header: { readonly 'If-Match': string };
  };
  readonly body: { readonly reason: string | null };
};

const SEND = {
  approve: (sent: Sent) => answerOf(api.PATCH('/users/{id}/profiles/{profileId}/approve', sent)),
  reject: (sent: Sent) => answerOf(api.PATCH('/users/{id}/profiles/{profileId}/reject', sent)),
} satisfies { readonly [D in Decision]: unknown };

interface DecideProps {
  /** Where the keys of the decision work. */
  readonly region: RefObject<HTMLElement | null>;
  readonly profile: UserProfile;
  readonly etag: string;
  readonly onDecided: (decision: Decision) => void;
  /** Shows the new state after somebody else was faster, and returns who did what if it concerns this profile. */
  readonly readFaster: () => Promise<string | undefined>;
}

export const Decide = ({ region, profile, etag, onDecided, readFaster }: DecideProps) => {
  const { approvals } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const { userId: id, id: profileId, approvalStatus, changedSinceApproval } = profile;
  const possible = (Object.keys(DECIDED) as Decision[]).filter(
    (each) => DECIDED[each] !== approvalStatus || changedSinceApproval,
  );
  // The decision that Ctrl+Enter sends, which the hint names. The button that sends the form sets it first.
  const [named, setNamed] = useState(possible[0] ?? 'approve');
  const chosen = useRef(named);
  const choose = (decision: Decision) => {
    chosen.current = decision;
    setNamed(decision);
  };

  const draft = useDraft({
    from: { reason: '' },
    send: async ({ reason }) => {
      const params = { path: { id, profileId }, header: { 'If-Match': etag } };
      try {
        await SEND[chosen.current]({ params, body: { reason: reason.trim() || null } });
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'revision-mismatch') throw error;
        const title = (await readFaster()) ?? approvals.otherChange;
        throw new Refusal({ code: 'conflict', title, detail: approvals.conflictAdvice });
      }
    },
  });

  const press = (decision: Decision) => {
    choose(decision);
    box.current?.querySelector('form')?.requestSubmit();
  };
  const toReason = () => {
    choose('reject');
    box.current?.querySelector('textarea')?.focus();
  };
  useKeys(region, {
    ...(possible.includes('approve') && { a: () => press('approve') }),
    ...(possible.includes('reject') && { r: toReason }),
  });

  return (
    <div ref={box}>
      <Form draft={draft} onSent={() => onDecided(chosen.current)}>
        <LongField
          {...draft.field('reason')}
          label={approvals.reason}
          hint={<span className="wide-only">{approvals.sends[named]}</span>}
        />
        <Line>
          {possible.map((each) => (
            <Action key={each} sends look={LOOKS[each]} isBusy={draft.isBusy} onPress={() => choose(each)}>
              {approvals.decisions[each]}
            </Action>
          ))}
        </Line>
      </Form>
    </div>
  );
};

const LOOKS = { approve: 'main', reject: 'danger' } as const satisfies { readonly [D in Decision]: string };
