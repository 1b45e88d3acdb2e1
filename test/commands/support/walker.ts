import type { Walker } from '../../../src/commands/walks.js';

/** Returns a caller of long reads who is no overseer. */
export const someone = (): Walker => ({ caller: 'someone', isOverseer: false });
