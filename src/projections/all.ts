// Every projection of the service, in one list.
import { institutions } from './institutions.js';
import type { Projection } from './projection.js';
import { protocols } from './protocols.js';
import { specialties } from './specialties.js';
import { users } from './users.js';

export const allProjections: readonly Projection[] = [institutions, protocols, specialties, users];

type Folded = (typeof institutions | typeof protocols | typeof specialties | typeof users)['folded'][number];
type Documented = Folded | Folded['derived'][number];

/** The types of the documents that routes read, by the names of their collections. */
export type Documents = { readonly [C in Documented as C['name']]: NonNullable<C['document']> };
