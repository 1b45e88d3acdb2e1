// Sends signals and waits for their effect.
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Suspends or resumes a process. Its connections stay open. Resolves when all threads have stopped: SIGSTOP reaches
 * them one after the other, and a running thread may still respond.
 */
export const sendSignal = async (child: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
  const pid = child?.pid;
  if (pid === undefined) throw new Error('there is no process to signal');
  child?.kill(signal);
  while (signal === 'SIGSTOP' && !isStopped(pid)) await pause(5);
};

// proc(5): the state follows the name, which is in parentheses. Systems other than Linux do not report it.
const isStopped = (pid: number): boolean =>
  !existsSync('/proc/self/task') ||
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) [Tt] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );
