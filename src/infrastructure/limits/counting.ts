// A limiter of rate-limiter-flexible as the port has it: that a request is one too many is an answer, not an error.
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Standing } from './limits.js';

/** Counts a request of a caller. Rejects where the limiter cannot count. */
export const counted = async (limiter: RateLimiterAbstract, caller: string): Promise<Standing> => {
  try {
    return standingOf(await limiter.consume(caller), false);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return standingOf(refusal, true);
    throw refusal;
  }
};

const standingOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Standing => ({
  isOver,
  remaining: isOver ? 0 : remainingPoints,
  resetS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
