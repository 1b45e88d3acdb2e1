// The log of a command, apart from its output.
import { pino } from 'pino';
import { serializers } from '../infrastructure/log.js';

/** The log on standard error. */
export const log = pino({ level: 'warn', serializers }, pino.destination(2));
