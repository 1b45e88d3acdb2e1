// Logs what goes wrong beside a command's own output.
import { pino } from 'pino';
import { serializers } from '../infrastructure/log.js';

/** The log on standard error. */
export const log = pino({ level: 'warn', serializers }, pino.destination(2));
