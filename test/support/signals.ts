// Signals whose effect a test can rely on.
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Makes a process silent (its connections stay open) or lets it go on; resolves when it is so. A stop reaches the
 * threads of a process one after the other, and until it has reached all of them, one may still answer.
 */
export const signalled = async (child: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
  const pid = child?.pid;
  if (pid === undefined) throw new Error('there is no process to signal');
  child?.kill(signal);
  while (signal === 'SIGSTOP' && !isStopped(pid)) await pause(5);
};

// proc(5): the state stands behind the name, which is in parentheses. Elsewhere than on Linux nobody tells.
const isStopped = (pid: number): boolean =>
  !existsSync('/proc/self/task') ||
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) [Tt] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );
