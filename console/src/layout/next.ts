// Where a reader goes after a sign-in.
const QUEUES = '/admin/queues';

/**
 * Returns the path of `next` if it is a page of the console or the queue board; undefined otherwise. `next` comes from
 * the address, so anybody may have written it.
 */
export const pageAfterSignIn = (next: string | null, origin = window.location.origin): string | undefined => {
  try {
    const { origin: target, pathname, search } = new URL(next ?? '', origin);
    const isPage = pathname.startsWith('/console/') && !pathname.includes('//');
    return target === origin && (isPage || pathname === QUEUES) ? pathname + search : undefined;
  } catch {
    return undefined;
  }
};
