// The log. Lines contain ids, never personal data.
import { type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { messageOf, RightMissing, StoreUnavailable } from './errors.js';
import { LogOutput } from './log-output.js';
import { Final, Later } from './work/work.js';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/**
 * Serializes errors. Omits other properties, such as the failed command, because libraries may put secrets in them. The
 * message of an unavailable store has that of its cause already. Its stack says nothing, nor does that of a failed job.
 */
export const serializers = {
  err: (error: Error) => {
    const { type, message, stack, code } = stdSerializers.err(error);
    if ([StoreUnavailable, Final, Later].some((each) => error instanceof each)) return { type, message: error.message };
    return { type, message, stack, code };
  },
} as const;

// A cause in words is no fault of an engine: the store is closed, or a record was altered.
const failureIn = (level: 'warn' | 'error', [fields, text]: readonly unknown[]) => {
  if (typeof fields !== 'object' || fields === null || !('err' in fields)) return undefined;
  const { err, ...about } = fields;
  if (!(err instanceof StoreUnavailable) || !(err.cause instanceof Error)) return undefined;
  const lacksRight = err instanceof RightMissing;
  return { store: err.store, reason: err.message, lacksRight, level, about, text: String(text) };
};

/** A failed call of an engine, and the parts of the line about the failure. */
export type StoreFailure = NonNullable<ReturnType<typeof failureIn>>;

const { warn = 0, error = 0 } = pino.levels.values;

/** Returns the hooks of a log. `takes` returns whether another part reports a failure. `flush` follows each warning. */
export const hooksOf = (
  takes: (failure: StoreFailure) => boolean,
  flush: () => void,
): NonNullable<LoggerOptions['hooks']> => {
  const isTaken = (args: readonly unknown[], level: number): boolean => {
    const failure = failureIn(level < error ? 'warn' : 'error', args);
    return failure !== undefined && takes(failure);
  };
  return {
    logMethod(args, method, level) {
      if (level >= warn && isTaken(args, level)) return;
      method.apply(this, args);
      if (level >= warn) flush();
    },
  };
};

/**
 * Returns the log of the process on its standard output. Warnings and errors are written immediately, except those about
 * failures that `takes` reports. Takes what libraries and Node.js would write to standard error as plain text.
 */
export const openLog = (
  level: string,
  dropped: (lines: number) => void,
  takes: (failure: StoreFailure) => boolean,
): Logger => {
  const output = new LogOutput(dropped);
  const log = pino({ level, serializers, hooks: hooksOf(takes, () => output.flush()) }, output);
  const warn = (...words: readonly unknown[]) => log.warn(words.map(messageOf).join(' '));
  Object.assign(console, { warn, error: warn });
  process.removeAllListeners('warning').on('warning', warn);
  return log;
};
