// The decisions of operators about the events that a read model skips. A read model is disposable, but a decision about
// it is recorded in the log.
import { z } from 'zod';
import type { Decider } from './decider.js';
import { visibleText } from './fields.js';

const Skipped = z.object({
  projection: visibleText(200),
  position: z.string().min(1).max(100).describe('the position of the skipped event in the log'),
  stream: z.string().max(1_000).describe('the stream of the skipped event'),
  revision: z.int().min(0).describe('the revision of the skipped event in its stream'),
  type: z.string().max(1_000).describe('the type of the skipped event'),
  reason: visibleText(500),
});

export const projectionEvents = {
  ProjectionEventSkipped: Skipped,
};

export const projectionCommands = {
  SkipProjectionEvent: Skipped,
};

/** An event that a read model skips permanently, and the reason. */
export type SkippedEvent = z.infer<typeof Skipped>;

/** The decisions about a read model, oldest first. */
export interface ProjectionDecisions {
  readonly skipped: readonly SkippedEvent[];
}

const isSkipped = ({ skipped }: ProjectionDecisions, { position }: SkippedEvent): boolean =>
  skipped.some((event) => event.position === position);

/** Decides which events a read model skips. An event that is already skipped is not recorded again. */
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
