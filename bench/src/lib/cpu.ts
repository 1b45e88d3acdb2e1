// Reads how much CPU processes have used. Every figure is NaN if the system does not report it.
import { readFileSync } from 'node:fs';

/** Returns four numbers of seconds: user and system time of a process, and of its children that have ended. */
const timesOf = (pid: number | 'self'): readonly number[] => {
  try {
    // proc(5): fields 14 to 17, in ticks of 1/100 s. The name before them may have spaces.
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return afterName.slice(11, 15).map((ticks) => Number(ticks) / 100);
  } catch {
    return [];
  }
};

/** Returns the CPU seconds that a process has used so far. */
export const cpuSecondsOf = (pid: number): number => {
  const [user = Number.NaN, system = Number.NaN] = timesOf(pid);
  return user + system;
};

/** Returns the CPU seconds of the children of this process that have ended. */
export const childCpuSeconds = (): number => {
  const [, , user = Number.NaN, system = Number.NaN] = timesOf('self');
  return user + system;
};
