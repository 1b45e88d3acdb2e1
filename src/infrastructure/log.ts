// The log, as the rest of the program sees it. Lines carry ids, never personal data.
import type { Logger } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;
