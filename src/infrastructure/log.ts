// The log. Lines contain ids, never personal data.
import { type Logger, stdSerializers } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/** Serializes errors. Omits other properties, such as the failed command, because libraries may put secrets in them. */
export const serializers = {
  err: (error: Error) => {
    const { type, message, stack, code } = stdSerializers.err(error);
    return { type, message, stack, code };
  },
} as const;
