// Replays of a log into a read model that is empty each time.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../measure.js';
import { runTask } from './task.js';

/** What is replayed: the embedded stores of a directory, into the projection of this name. */
export interface Replay {
  readonly dataDirectory: string;
  readonly projection: 'protocols' | 'users';
  /** `sealedFacts` is the engine itself: nothing is opened, and what stands in the clear is believed. */
  readonly from?: 'facts' | 'sealedFacts';
}

/** How many events were seen, and how many a second. */
export interface Replayed {
  readonly events: number;
  readonly perSecond: number;
}

/** Gives what replays once, in a process of its own. */
export const replaying =
  ({ directory }: Bench, replay: Replay): (() => Promise<Replayed>) =>
  async () => {
    const viewsDirectory = mkdtempSync(join(directory, 'views-'));
    try {
      return await runTask<Replayed>('replay', { ...replay, viewsDirectory });
    } finally {
      rmSync(viewsDirectory, { recursive: true });
    }
  };

/** The events a second of each; throws where one did not see all events. */
export const ratesOf = (samples: readonly Replayed[], events: number): readonly number[] => {
  const short = samples.find((sample) => sample.events !== events);
  if (short !== undefined) throw new Error(`${short.events} events were seen, not ${events}`);
  return samples.map(({ perSecond }) => perSecond);
};
