// Every aggregate of the domain, in one list.
import { institution } from './institution.js';
import { protocol } from './protocol.js';
import { specialty } from './specialty.js';

export const allDeciders = [institution, protocol, specialty] as const;
