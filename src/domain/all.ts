// Every aggregate of the domain, in one list.
import { auditRead } from './audit-read.js';
import { institution } from './institution.js';
import { protocol } from './protocol.js';

export const allDeciders = [auditRead, institution, protocol] as const;
