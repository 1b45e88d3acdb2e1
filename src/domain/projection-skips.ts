// What operators decide about a read model: which events it leaves out. The read models themselves are disposable; a
// decision about one is a fact.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { visibleText } from './fields.js';

const Skipped = z.object({
  projection: visibleText(200),
  position: z.string().min(1).max(100).describe('the place in the log of the event that is left out'),
  stream: z.string().max(1_000).describe('the stream of that event'),
  revision: z.int().min(0).describe('its revision in that stream'),
  type: z.string().max(1_000).describe('its type'),
  reason: visibleText(500),
});

export const projectionEvents = {
  ProjectionEventSkipped: Skipped,
};

export const projectionCommands = {
  SkipProjectionEvent: Skipped,
};

/** An event that a read model leaves out for good, and why. */
export type SkippedEvent = z.infer<typeof Skipped>;

/** The decisions about one read model, first to last. */
export interface ProjectionDecisions {
  readonly skipped: readonly SkippedEvent[];
}

const isSkipped = ({ skipped }: ProjectionDecisions, { position }: SkippedEvent): boolean =>
  skipped.some((event) => event.position === position);

/** The decisions of operators about a read model. An event that is left out already is not decided on again. */
export const projection: Decider<ProjectionDecisions, typeof projectionEvents, typeof projectionCommands> = {
  aggregate: 'projection',
  events: projectionEvents,
  commands: projectionCommands,
  initialState: { skipped: [] },

  evolve: {
    ProjectionEventSkipped: ({ skipped }, event) => ({ skipped: [...skipped, event] }),
  },

  permits: { ProjectionEventSkipped: (state, event) => !isSkipped(state, event) },

  decide: {
    SkipProjectionEvent: (state, event) =>
      isSkipped(state, event) ? [] : [{ type: 'ProjectionEventSkipped', data: event }],
  },
};
