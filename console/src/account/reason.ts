// The reason of the last rejection in the life of a profile.
interface Step {
  readonly type: string;
  readonly reason: string | null;
}

interface PageOfSteps {
  readonly value: { readonly items: readonly Step[]; readonly nextCursor: string | null };
}

const DECISIONS = ['UserProfileRejected', 'UserProfileDecisionExplained'];

/** Reads all steps, oldest first, and returns the reason of the last decision; null if nobody gave one. */
export const reasonIn = async (
  page: (cursor: string | undefined) => Promise<PageOfSteps>,
  cursor?: string,
  before: string | null = null,
): Promise<{ readonly text: string | null }> => {
  const { items, nextCursor } = (await page(cursor)).value;
  const decision = items.findLast(({ type }) => DECISIONS.includes(type));
  const text = decision ? decision.reason : before;
  return nextCursor === null ? { text } : reasonIn(page, nextCursor, text);
};
