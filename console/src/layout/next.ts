// Where a reader goes after a sign-in.
const QUEUES = '/admin/queues';

/**
 * Returns the path of `next` if it is a page of the console or the queue board; undefined otherwise. `next` comes from
 * the address, so anybody may have written it.
 */
export const pageAfterSignIn = (next: string | null, origin = window.location.origin): string | undefined => {
  const { origin: target, pathname = '', search = '' } = next === null ? {} : parsed(next, origin);
  const isPage = pathname.startsWith('/console/') && !pathname.includes('//');
  return target === origin && (isPage || pathname === QUEUES) ? pathname + search : undefined;
};

const parsed = (address: string, origin: string): Partial<URL> => {
  try {
    return new URL(address, origin);
  } catch {
    return {};
  }
};
