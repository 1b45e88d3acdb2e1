// Creates UUIDs v7 (RFC 9562), which are ordered by time, as the product does.
import { randomUUID } from 'node:crypto';

/** Returns a new UUID v7. */
export const newId = (): string => {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
