// The log. Lines contain ids, never personal data.
import { type Logger, pino, stdSerializers } from 'pino';
import { StoreUnavailable } from './errors.js';
import { LogOutput } from './log-output.js';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/**
 * Serializes errors. Omits other properties, such as the failed command, because libraries may put secrets in them. The
 * message of an unavailable store has that of its cause already, and its stack says nothing about the store.
 */
export const serializers = {
  err: (error: Error) => {
    const { type, message, stack, code } = stdSerializers.err(error);
    if (error instanceof StoreUnavailable) return { type, message: error.message };
    return { type, message, stack, code };
  },
} as const;

/** Returns the log of the process on its standard output. Warnings and errors are written immediately. */
export const openLog = (level: string, dropped: (lines: number) => void): Logger => {
  const output = new LogOutput(dropped);
  const { warn } = pino.levels.values;
  return pino(
    {
      level,
      serializers,
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= (warn ?? 0)) output.flush();
        },
      },
    },
    output,
  );
};
