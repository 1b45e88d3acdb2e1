// The log. Lines contain ids, never personal data.
import { type Logger, pino, stdSerializers } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/** Serializes errors. Omits other properties, such as the failed command, because libraries may put secrets in them. */
export const serializers = {
  err: (error: Error) => {
    const { type, message, stack, code } = stdSerializers.err(error);
    return { type, message, stack, code };
  },
} as const;

// A write to the output costs more than the line that it writes, so lines wait for others, for 0.1 s at most. The lines
// of a process that ends are written first.
const BUFFERED_OUTPUT = { fd: 1, sync: false, minLength: 4_096, periodicFlush: 100 };

/** Returns the log of the process on its standard output. Warnings and errors are written immediately. */
export const openLog = (level: string): Logger => {
  const output = pino.destination(BUFFERED_OUTPUT);
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
