// The environment variables of HTTP: addresses, callers, rate limits, proxies, other origins and the web client. Each is
// documented here, once.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopback } from '../infrastructure/loopback.js';
import { TOOL } from '../infrastructure/tool.js';

const listOf = (text: string): readonly string[] => text.split(',').map((item) => item.trim());

const FACTOR_ADVICE = 'must be a number that multiplies every quota, for example 1 or 0.5, or off';

const PREFIX_BITS = { 0: 0, 4: 32, 6: 128 } as const;

const isProxy = (text: string): boolean => {
  if (text === 'loopback') return true;
  const [address = '', prefix, ...more] = text.split('/');
  const bits = PREFIX_BITS[isIP(address) as 0 | 4 | 6];
  if (bits === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
};

// An origin must be written as browsers write it, because `Origin` headers are compared as text (RFC 6454, 6.2).
const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^\s/?#@*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const URL_ADVICE = 'must be a URL without a path, for example https://protocols.example.org';

/**
 * The public URL of the service. It is the issuer of tokens and an allowed origin. If it uses https, cookies are sent
 * only over https.
 */
export const PUBLIC_URL = z
  .string()
  .regex(/^https?:\/\/[^\s/?#@]+$/, URL_ADVICE)
  .refine((address) => URL.canParse(address), URL_ADVICE)
  .optional();

export const FIRST_ADMINISTRATOR = `create the first administrator with: ${TOOL} admin create --email you@example.org --name 'Your Name'`;

export const web = z
  .object({
    /** The address on which HTTP listens. */
    HOST: z.string().min(1).default('127.0.0.1'),
    /** The port on which HTTP listens. 0 picks a free port, which the start line in the log shows. */
    PORT: z
      .string()
      .regex(/^\d{1,5}$/, 'must be a port, for example 3000')
      .transform(Number)
      .pipe(z.int().max(65_535, 'must be a port, for example 3000'))
      .default(3000),
    PUBLIC_URL,
    /** Whether callers must sign in. Default: required, but open on a loopback address. */
    AUTH: z.enum(['open', 'required'], 'must be open or required').optional(),
    /** Multiplies the quotas of the auth routes (http/access/rate-limits.ts); `off` disables all limits. */
    RATE_LIMITS: z
      .string()
      .regex(/^(off|\d{1,6}(\.\d{1,6})?)$/, FACTOR_ADVICE)
      .transform((factor) => (factor === 'off' ? undefined : Number(factor)))
      .refine((factor) => factor !== 0, FACTOR_ADVICE)
      .prefault('1'),
    /** The proxies whose X-Forwarded-For, -Proto and -Host are trusted, separated by commas. Default: none. */
    TRUSTED_PROXIES: z
      .string()
      .transform(listOf)
      .refine((proxies) => proxies.every(isProxy), 'must be addresses or networks, for example loopback,10.0.0.0/8')
      .default([]),
    /** The other web origins that may call with credentials, separated by commas. Default: none. */
    CORS_ORIGINS: z
      .string()
      .transform(listOf)
      .refine(
        (origins) => origins.every(isOrigin),
        'must be origins without a path, for example https://app.example.org',
      )
      .default([]),
    /** Whether the service serves the web client (console/). */
    CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  })
  .superRefine(({ AUTH, HOST }, { addIssue }) => {
    if (AUTH !== 'open' || isLoopback(HOST)) return;
    const message = `open is allowed only on loopback addresses, and HOST is ${HOST}: use required; ${FIRST_ADMINISTRATOR}`;
    addIssue({ code: 'custom', path: ['AUTH'], message });
  })
  .transform((environment) => ({
    host: environment.HOST,
    port: environment.PORT,
    publicUrl: environment.PUBLIC_URL,
    callers: environment.AUTH ?? (isLoopback(environment.HOST) ? 'open' : 'required'),
    rateLimits: environment.RATE_LIMITS,
    trustedProxies: environment.TRUSTED_PROXIES,
    corsOrigins: environment.CORS_ORIGINS,
    hasWebClient: environment.CONSOLE === 'on',
  }));
