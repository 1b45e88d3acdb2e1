// The configuration: environment variables, each documented once, here and in settings/.
import { z } from 'zod';
import { messages } from './settings/delivery.js';
import { engines } from './settings/engines.js';
import { signIn } from './settings/sign-in.js';
import { transparency } from './settings/transparency.js';
import { web } from './settings/web.js';

/** Signals faults in the configuration. The message names each variable, its fault and a value that works. */
export class ConfigurationError extends Error {
  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(faults.join('\n'), options);
    this.name = 'ConfigurationError';
  }
}

const logging = z
  .object({
    /** The log level, one of pino's levels. */
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level of pino, for example info')
      .default('info'),
  })
  .transform(({ LOG_LEVEL }) => ({ logLevel: LOG_LEVEL }));

// The variables of older versions, and what replaces each. The process must not start as if they still had an effect.
const removed = {
  CHECKPOINT_DIRECTORY: "run `audit checkpoint` of the operator's tool from a timer; see docs/operations.md",
  PASSWORD_MIN_LENGTH: 'a new password has at least 8 characters; remove the variable',
} as const;

const Environment = web.and(logging).and(engines).and(signIn).and(messages).and(transparency);

export const variables: readonly string[] = [
  ...new Set([web, logging, engines, signIn, messages, transparency].flatMap((group) => Object.keys(group.in.shape))),
];

export type Config = z.output<typeof Environment>;

/** Reads the configuration. Throws `ConfigurationError` with every invalid variable. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const bom = Object.keys(environment).find((variable) => /^\s*\uFEFF/.test(variable));
  if (bom !== undefined) throw new ConfigurationError([`${bom.trim()}: save the file without its byte order mark`]);
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const gone = Object.entries(removed)
    .filter(([variable]) => variable in set)
    .map(([variable, advice]) => `${variable}: no longer exists; ${advice}`);
  const { data, error } = Environment.safeParse(set);
  const faults = (error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`);
  if (data === undefined || gone.length > 0) throw new ConfigurationError([...new Set([...gone, ...faults])]);
  return data;
};
