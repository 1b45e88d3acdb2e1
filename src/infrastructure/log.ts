// The log, as the rest of the program sees it. Lines carry ids, never personal data.
import { type Logger, stdSerializers } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/** What of an error stands in a line. Whatever else a library hangs on it, such as the command that failed, may be secret. */
export const serializers = {
  err: (error: Error) => {
    const { type, message, stack, code } = stdSerializers.err(error);
    return { type, message, stack, code };
  },
} as const;
