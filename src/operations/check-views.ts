// Finds read models that are ahead of the log, which shows that the facts were restored to an older moment.
import type { Checkpoint } from '../infrastructure/views/views.js';
import { foreignGenerations } from '../projections/foreign.js';
import type { Check } from './check.js';

/** Checks that no read model is ahead of the log. */
export const viewsNotAhead: Check = async ({ facts, views }) => {
  const { head, all, foreign } = await foreignGenerations(facts, views);
  if (all.every(({ position }) => position === undefined)) return { ok: true, summary: 'not built yet' };
  if (foreign.length === 0) {
    return { ok: true, summary: `${all.length} generations of read models, none beyond the end of the log` };
  }
  const names = [...new Set(foreign.map(({ projection }) => projection))];
  return {
    ok: false,
    summary: `beyond the end of the log (${head ?? 'it is empty'}): ${foreign.map(describe).join(', ')}; the facts are older than the views`,
    next: names.map((name) => `npm run cli -- projections rebuild ${name}`).join('; '),
  };
};

const describe = ({ projection, number, position }: Checkpoint): string =>
  `${projection} (generation ${number}) at ${position}`;
