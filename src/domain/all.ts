// Every aggregate of the domain, in one list.
import { institution } from './institution.js';
import { protocol } from './protocol.js';
import { user } from './user.js';

export const allDeciders = [institution, protocol, user] as const;
