// What the process reports of itself to Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SealingMetrics } from '../infrastructure/sealing/watch.js';
import type { SessionMetrics } from '../projections/session.js';

/** What requests report. */
export interface HttpMetrics {
  answered(method: string, route: string, status: number, seconds: number): void;
}

/** The metrics of a process; `text` is what Prometheus scrapes. */
export interface Metrics {
  readonly http: HttpMetrics;
  readonly projections: SessionMetrics;
  readonly sealing: SealingMetrics;
  readonly contentType: string;
  /** The exposition; `stopped` are the projections that wait before a poison event, as the views say. */
  text(stopped: ReadonlyMap<string, boolean>): Promise<string>;
}

/** Makes the metrics of this process, with those of Node.js. */
export const createMetrics = (): Metrics => {
  const registers = [new Registry()];
  const [register] = registers as [Registry];
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by route and status, and how long they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 10],
    registers,
  });
  const events = new Counter({
    name: 'projection_events_total',
    help: 'Events folded by this process.',
    labelNames: ['projection'],
    registers,
  });
  const lag = new Gauge({
    name: 'projection_lag_seconds',
    help: 'How long ago the last folded event was recorded while the end of the log is not reached; 0 when caught up.',
    labelNames: ['projection'],
    registers,
  });
  const stoppedGauge = new Gauge({
    name: 'projection_stopped',
    help: '1 while a projection waits before an event that it cannot fold.',
    labelNames: ['projection'],
    registers,
  });
  return {
    http: {
      answered: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    },
    projections: {
      folded: (projection, count, behindSince) => {
        events.inc({ projection }, count);
        lag.set({ projection }, behindSince === undefined ? 0 : Math.max(0, Date.now() - behindSince) / 1_000);
      },
      stopped: (projection, isStopped) => stoppedGauge.set({ projection }, Number(isStopped)),
    },
    sealing: sealingMetrics(registers),
    contentType: register.contentType,
    text: (stopped) => {
      for (const [projection, isStopped] of stopped) stoppedGauge.set({ projection }, Number(isStopped));
      return register.metrics();
    },
  };
};

const sealingMetrics = (registers: Registry[]): SealingMetrics => {
  const withoutKey = new Counter({
    name: 'personal_events_without_key_total',
    help: 'Events read whose personal fields are null as the key of the person was erased or lost.',
    registers,
  });
  const tampered = new Counter({
    name: 'personal_events_tampered_total',
    help: 'Events read whose personal fields are null as what was sealed had been altered or moved.',
    registers,
  });
  return { withoutKey: () => withoutKey.inc(), tampered: () => tampered.inc() };
};
