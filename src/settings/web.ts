// The environment variables for rate limits, proxies and other origins. Each is documented here, once.
import { isIP } from 'node:net';
import { z } from 'zod';

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

/** The variables. */
export const webVariables = {
  /** Multiplies the quotas of the auth routes (http/access/rate-limits.ts); `off` disables all limits. */
  RATE_LIMITS: z
    .string()
    .regex(/^(off|\d{1,6}(\.\d{1,6})?)$/, FACTOR_ADVICE)
    .transform((factor) => (factor === 'off' ? factor : Number(factor)))
    .refine((factor) => factor !== 0, FACTOR_ADVICE)
    .default(1),
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
    .refine((origins) => origins.every(isOrigin), 'must be origins without a path, for example https://app.example.org')
    .default([]),
};

/** The settings from these variables. */
export interface WebSettings {
  /** The factor that multiplies every quota; undefined: no limits. */
  readonly rateLimits: number | undefined;
  /** The trusted addresses and networks; `loopback` stands for the loopback addresses. */
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
}

/** Returns the settings of a parsed environment. */
export const webSettingsOf = (environment: z.output<z.ZodObject<typeof webVariables>>): WebSettings => ({
  rateLimits: environment.RATE_LIMITS === 'off' ? undefined : environment.RATE_LIMITS,
  trustedProxies: environment.TRUSTED_PROXIES,
  corsOrigins: environment.CORS_ORIGINS,
});
