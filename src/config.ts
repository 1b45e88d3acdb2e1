// The configuration: environment variables, each documented once, here and in settings/.
import { z } from 'zod';
import { type EngineSettings, engineFaultsOf, engineSettingsOf, engineVariables } from './settings/engines.js';
import { type MessageSettings, messageFaultsOf, messageSettingsOf, messageVariables } from './settings/messages.js';
import { type SignInSettings, signInFaultsOf, signInSettingsOf, signInVariables } from './settings/sign-in.js';
import { type TransparencySettings, transparencySettingsOf, transparencyVariables } from './settings/transparency.js';
import { type WebSettings, webSettingsOf, webVariables } from './settings/web.js';

/** Signals faults in the configuration. The message names each variable, its fault and a value that works. */
export class ConfigurationError extends Error {
  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(faults.join('\n'), options);
    this.name = 'ConfigurationError';
  }
}

const Environment = z.object({
  /** The address on which HTTP listens. */
  HOST: z.string().min(1).default('127.0.0.1'),
  /** The port on which HTTP listens. 0 picks a free port, which the start line in the log shows. */
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port, for example 3000')
    .transform(Number)
    .pipe(z.int().max(65_535, 'must be a port, for example 3000'))
    .default(3000),
  /** The roles of this process. If a store is embedded, one process has both roles. */
  ROLES: z
    .string()
    .default('all')
    .transform((roles) => (roles === 'all' ? ['http', 'worker'] : roles.split(',').map((role) => role.trim())))
    .pipe(z.array(z.enum(['http', 'worker'], 'must be http, worker, or both: http,worker'))),
  /** The log level, one of pino's levels. */
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level of pino, for example info')
    .default('info'),
  ...engineVariables,
  ...signInVariables,
  ...messageVariables,
  ...transparencyVariables,
  ...webVariables,
});

// The variables of older versions, and what replaces each. The process must not start as if they still had an effect.
const removed = {
  CHECKPOINT_DIRECTORY: 'run `npm run --silent cli -- audit checkpoint` from a timer; see docs/operations.md',
} as const;

/** The names of all variables. */
export const variables: readonly string[] = Object.keys(Environment.shape);

export interface Config extends EngineSettings, SignInSettings, MessageSettings, TransparencySettings {
  readonly host: string;
  readonly port: number;
  readonly roles: readonly ('http' | 'worker')[];
  readonly logLevel: string;
  readonly web: WebSettings;
}

/** Reads the configuration. Throws `ConfigurationError` with every invalid variable. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const gone = Object.entries(removed)
    .filter(([variable]) => variable in set)
    .map(([variable, advice]) => `${variable}: no longer exists: ${advice}`);
  const result = Environment.safeParse(set);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`);
    throw new ConfigurationError([...new Set([...gone, ...faults])]);
  }
  const { data } = result;
  const faults = [...gone, ...engineFaultsOf(data, data.ROLES), ...signInFaultsOf(data), ...messageFaultsOf(data)];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return {
    host: data.HOST,
    port: data.PORT,
    roles: data.ROLES,
    logLevel: data.LOG_LEVEL,
    ...engineSettingsOf(data),
    ...signInSettingsOf(data),
    ...messageSettingsOf(data),
    ...transparencySettingsOf(data),
    web: webSettingsOf(data),
  };
};
