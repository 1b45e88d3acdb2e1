// Recognizes loopback addresses.
import { isIPv4 } from 'node:net';

/** Returns whether `host` is a loopback address. An IPv6 address may be in brackets, as in a URL. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|::1|\[::1\])$/i.test(host) || (isIPv4(host) && host.startsWith('127.'));
