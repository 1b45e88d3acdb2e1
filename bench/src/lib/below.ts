import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../measure.js';

/** Creates a directory inside the measure's directory and returns its path. */
export const below = ({ directory }: Pick<Bench, 'directory'>, name: string): string => {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  return path;
};
