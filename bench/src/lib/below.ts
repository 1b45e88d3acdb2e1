import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../measure.js';

/** Makes a directory below that of the measure and returns its path. */
export const below = ({ directory }: Pick<Bench, 'directory'>, name: string): string => {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  return path;
};
