// Divides the busy time of a thread among the parts of the service, from a CPU profile of V8.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A function of the profile. Native functions have no URL. */
interface Frame {
  readonly functionName: string;
  readonly url: string;
}

export interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[];
  /** In microseconds of the system's monotonic clock. */
  readonly startTime: number;
  /** The node that was running at each sample, and the microseconds since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Returns whether a stack, from the running function to its callers, belongs to a part. */
type Belongs = (stack: readonly Frame[]) => boolean;

const calledFrom =
  (file: RegExp): Belongs =>
  (stack) =>
    stack.some(({ url }) => file.test(url));
const calledBy =
  (name: RegExp): Belongs =>
  (stack) =>
    stack.some(({ functionName }) => name.test(functionName));
const runningIn =
  (file: RegExp): Belongs =>
  ([running]) =>
    running !== undefined && file.test(running.url);

/** The parts of the service. The first part that a stack belongs to has its time. */
const PARTS: Readonly<Record<string, Belongs>> = {
  garbage: calledBy(/^\(garbage collector\)$/),
  'signed tree': calledFrom(/\/dist\/transparency\//),
  'canonical JSON': calledFrom(/\/canonical-json\.js$/),
  'reading back from SQLite': calledFrom(/\/infrastructure\/(sqlite\/driver|facts\/sqlite\/log)\.js$/),
  'JSON.stringify and JSON.parse': calledBy(/^(stringify|parse)OfJson$/),
  projections: calledFrom(/\/dist\/projections\//),
  zod: calledFrom(/\/zod\//),
  'sealing tokens': calledFrom(/\/http\/route\/opaque\.js$/),
  'messages to threads': calledBy(/^(postMessage|receiveMessageOnPort)$/),
  // A span encloses the work that it names.
  traces: runningIn(/\/@opentelemetry\/|\/infrastructure\/tracing\.js$/),
};
export const REST = 'the rest';
const IDLE = '(idle)';

/** Returns the microseconds of each part, and of the rest, between two times of the monotonic clock. */
export const timesOf = (profile: CpuProfile, from: number, to: number): Readonly<Record<string, number>> => {
  const parts = partsOf(profile);
  const times: Record<string, number> = Object.fromEntries([...Object.keys(PARTS), REST].map((part) => [part, 0]));
  let at = profile.startTime;
  profile.samples.forEach((id, n) => {
    at += profile.timeDeltas[n] ?? 0;
    const part = parts.get(id);
    if (part !== undefined && at >= from && at < to)
      times[part] = (times[part] ?? 0) + (profile.timeDeltas[n + 1] ?? 0);
  });
  return times;
};

/** Returns the part that has the time of each node. A node in which the thread is idle is absent. */
const partsOf = ({ nodes }: CpuProfile): ReadonlyMap<number, string> => {
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const stackOf = (node: CpuProfile['nodes'][number]): readonly Frame[] => {
    const caller = callers.get(node.id);
    return [node.callFrame, ...(caller === undefined ? [] : stackOf(caller))];
  };
  const partOf = (stack: readonly Frame[]) => Object.entries(PARTS).find(([, belongs]) => belongs(stack))?.[0];
  const busy = nodes.filter(({ callFrame }) => callFrame.functionName !== IDLE);
  return new Map(busy.map((node) => [node.id, partOf(stackOf(node)) ?? REST]));
};

/** Reads the profile of the main thread of a process, which wrote it into a directory when it ended. */
export const mainThreadProfile = (directory: string): CpuProfile => {
  // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
  const file = readdirSync(directory).find((name) => name.split('.')[4] === '0');
  if (file === undefined) throw new Error(`${directory}: no profile of a main thread`);
  return JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile;
};
