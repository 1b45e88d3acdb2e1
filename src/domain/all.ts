// Every aggregate of the domain, in one list.
import { institution } from './institution.js';
import { protocol } from './protocol.js';

export const allDeciders = [institution, protocol] as const;
