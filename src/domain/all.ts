// Every aggregate of the domain, in one list.
import { auditRead } from './audit-read.js';
import { institution } from './institution.js';
import { projection } from './projection.js';
import { protocol } from './protocol.js';
import { securityLog } from './security-log.js';
import { specialty } from './specialty.js';
import { user } from './user.js';

export const allDeciders = [auditRead, institution, projection, protocol, securityLog, specialty, user] as const;
