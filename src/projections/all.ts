// Every projection of the service, in one list.
import { decisions } from './decisions.js';
import { institutions } from './institutions.js';
import type { Projection } from './projection.js';
import { protocols } from './protocols.js';
import { specialties } from './specialties.js';
import { users } from './users.js';

export const allProjections: readonly Projection[] = [decisions, institutions, protocols, specialties, users];
