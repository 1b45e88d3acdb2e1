// Conditional reads (RFC 9110, 13.1.2).

/**
 * Returns whether If-None-Match matches the tag, so that the client already has the response. The comparison is weak.
 */
export const isUnchanged = (ifNoneMatch: string | undefined, tag: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  tag !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((other) => other.trim().replace(/^W\//, '') === tag));
