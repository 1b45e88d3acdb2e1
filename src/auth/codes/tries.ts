// What an attempt to redeem a code does to the codes of an owner. Wrong attempts are counted in each code.
import { Refused } from '../refused.js';
import { type CodeSecrets, isLive, type OwnersCodes, type StoredCode } from './code-records.js';
import { codeLimits } from './limits.js';
import type { Purpose } from './texts.js';

export interface RedeemedCode {
  readonly purpose: Purpose;
  readonly userId: string;
  readonly confirms: unknown;
}

interface Try {
  readonly secrets: CodeSecrets;
  readonly code: string;
  readonly purposes: readonly Purpose[];
  /** The HMAC of the address. */
  readonly by: string;
  readonly lifeLeft: (purpose: Purpose, code: StoredCode, now: number) => number;
}

/** Returns the record after an attempt, and the redeemed code if the attempt succeeded. */
export const triedAt = (
  now: number,
  record: OwnersCodes,
  { secrets, code, purposes, by, lifeLeft }: Try,
): { readonly tried: OwnersCodes; readonly redeemed?: RedeemedCode } => {
  const live = purposes.flatMap((purpose) => {
    const kept = record.codes[purpose];
    const isOpen =
      kept !== undefined &&
      isLive(purpose, kept, now) &&
      lifeLeft(purpose, kept, now) > 0 &&
      triesIn(kept, by) < codeLimits.tries;
    return isOpen ? [{ purpose, kept }] : [];
  });
  // Compares all codes, so that the time does not reveal which one matched.
  const right = live.filter(({ purpose, kept }) => secrets.isCodeOf(purpose, kept.id, code));
  for (const { purpose, kept } of right) {
    const { to, confirms } = secrets.open(kept);
    if (to === null) continue;
    const codes = { ...record.codes, [purpose]: { ...kept, sealed: null } };
    return { tried: { ...record, codes }, redeemed: { purpose, userId: to.userId, confirms } };
  }
  const counted = live.map(({ purpose, kept }) => [purpose, withWrongTry(kept, by)] as const);
  return { tried: { ...record, codes: { ...record.codes, ...Object.fromEntries(counted) } } };
};

export const mustBeRedeemed = (redeemed: RedeemedCode | undefined): RedeemedCode => {
  if (redeemed === undefined) throw new Refused('code-refused');
  return redeemed;
};

const triesIn = ({ triesOf = {} }: StoredCode, by: string): number => triesOf[by] ?? 0;

const withWrongTry = (code: StoredCode, by: string): StoredCode => {
  const tries = code.tries + 1;
  const triesOf = { ...code.triesOf, [by]: triesIn(code, by) + 1 };
  return { ...code, tries, triesOf, sealed: tries < codeLimits.triesOfAll ? code.sealed : null };
};
