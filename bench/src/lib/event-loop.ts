// How long a server's event loop keeps what is due waiting, as the server itself reports it at /metrics.

/** The delays since they were looked at last, in milliseconds. */
export interface Delays {
  readonly p99: number;
  readonly max: number;
}

// Node.js (perf_hooks.monitorEventLoopDelay) records how long after another two timers ran that are this far apart.
const RESOLUTION_MS = 10;

/** Reads the delays and has the server begin anew: each look at /metrics does. */
export const readDelays = async (url: string): Promise<Delays> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const delay = (name: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1];
    if (seconds === undefined) throw new Error(`/metrics does not report the ${name} of the event loop's delays`);
    return Math.max(0, Number(seconds) * 1_000 - RESOLUTION_MS);
  };
  return { p99: delay('p99'), max: delay('max') };
};
