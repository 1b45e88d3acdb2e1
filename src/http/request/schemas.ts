// Fields that the schemas of several resources share.
import { z } from 'zod';

export const id = z.uuid();
export const instant = z.iso.datetime();
export const dates = { createdAt: instant, updatedAt: instant };

/**
 * A timestamp in a query. A client must encode the plus sign of an offset, because a query reads a plus sign as a
 * space.
 */
export const instantParameter = z.iso.datetime({
  offset: true,
  error: 'is not an instant; send date, time and offset, such as 2026-11-22T15:00:00Z or 2026-11-22T12:00:00%2B03:00',
});
