// Runs parts of a test as another user, which only root may do.
import { describe, it } from 'vitest';

export const NOBODY = 65_534;

const isRoot = process.geteuid?.() === 0;

const notRoot = isRoot ? undefined : 'only root may change the owners of files: run the tests as root';

/** Calls `task`, which must be synchronous, as `nobody` if root runs the tests, because no mode stops root. */
export const asNobody = (task: () => void): void => {
  if (isRoot) process.setegid?.(NOBODY);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    task();
  } finally {
    if (isRoot) process.seteuid?.(0);
    if (isRoot) process.setegid?.(0);
  }
};

/** Declares tests that need root. Without root, declares one skipped test with the reason. */
export const describeAsRoot = (name: string, declare: () => void): void => {
  if (notRoot === undefined) describe(name, declare);
  else it(name, ({ skip }) => skip(notRoot));
};
