// How HTTP is reached: the environment variables of limits, proxies and other origins, each documented once, here.
import { isIP } from 'node:net';
import { z } from 'zod';

const listOf = (text: string): readonly string[] => text.split(',').map((item) => item.trim());

const A_FACTOR = 'must be a number that multiplies every quota, for example 1 or 0.5, or off';

const PREFIX_BITS = { 0: 0, 4: 32, 6: 128 } as const;

const isProxy = (text: string): boolean => {
  if (text === 'loopback') return true;
  const [address = '', prefix, ...more] = text.split('/');
  const bits = PREFIX_BITS[isIP(address) as 0 | 4 | 6];
  if (bits === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
};

// An origin as browsers write it: `Origin` is compared with it as text (RFC 6454, 6.2).
const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^\s/?#@*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** The variables. */
export const webVariables = {
  /** Multiplies the quotas of the auth routes (http/edge/rate-limits.ts); `off` leaves them without limits. */
  RATE_LIMITS: z
    .string()
    .regex(/^(off|\d{1,6}(\.\d{1,6})?)$/, A_FACTOR)
    .transform((factor) => (factor === 'off' ? factor : Number(factor)))
    .refine((factor) => factor !== 0, A_FACTOR)
    .default(1),
  /** The proxies whose X-Forwarded-For, -Proto and -Host are believed, with commas between them; without it, none. */
  TRUSTED_PROXIES: z
    .string()
    .transform(listOf)
    .refine((proxies) => proxies.every(isProxy), 'must be addresses or networks, for example loopback,10.0.0.0/8')
    .default([]),
  /** The web origins that may call with credentials, with commas between them; without it, none but the service's own. */
  CORS_ORIGINS: z
    .string()
    .transform(listOf)
    .refine((origins) => origins.every(isOrigin), 'must be origins without a path, for example https://app.example.org')
    .default([]),
};

/** What the variables come to. */
export interface WebSettings {
  /** What multiplies every quota; undefined: there are no limits. */
  readonly rateLimits: number | undefined;
  /** Addresses, networks, and the word loopback. */
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
}

/** Takes the settings from the parsed environment. */
export const webSettingsOf = (environment: z.output<z.ZodObject<typeof webVariables>>): WebSettings => ({
  rateLimits: environment.RATE_LIMITS === 'off' ? undefined : environment.RATE_LIMITS,
  trustedProxies: environment.TRUSTED_PROXIES,
  corsOrigins: environment.CORS_ORIGINS,
});
