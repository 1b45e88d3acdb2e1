// Every aggregate of the domain, in one list.
import { institution } from './institution.js';
import { projection } from './projection.js';
import { protocol } from './protocol.js';

export const allDeciders = [institution, protocol, projection] as const;
