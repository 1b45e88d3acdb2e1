// The metrics of a process for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from './config.js';
import type { ScrapedMetrics } from './http/pages/health.js';
import type { HttpMetrics } from './http/server/entrance.js';
import type { SealingMetrics } from './infrastructure/persons/watch.js';
import type { QueueMetrics } from './operations/queue-faults.js';
import type { SessionMetrics } from './projections/session.js';
import type { LogMetrics } from './transparency/faults.js';

export interface Metrics extends ScrapedMetrics {
  readonly http: HttpMetrics;
  readonly projections: SessionMetrics;
  readonly sealing: SealingMetrics;
  readonly queues: QueueMetrics;
  readonly auditLog: LogMetrics;
  /** Counts lines that were not written to the log. */
  readonly unlogged: (lines: number) => void;
}

/** Returns functions that make the metrics of a register. */
const metersOf = (register: Registry) => {
  const registers = [register];
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
  };
};

type Meters = ReturnType<typeof metersOf>;

/** Returns the metrics of a process, including those of Node.js. */
export const createMetrics = ({ witnesses }: Pick<Config, 'witnesses'>): Metrics => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const meters = metersOf(register);
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by route and status, and how long they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [register],
  });
  const shed = meters.counter('http_requests_shed_total', 'Requests that were rejected because too many were waiting.');
  const events = meters.counter('projection_events_total', 'Events folded by this process.', 'projection');
  const lag = meters.gauge(
    'projection_lag_seconds',
    'How long ago the last folded event was recorded while the end of the log is not reached; 0 when caught up.',
    'projection',
  );
  const stoppedGauge = meters.gauge(
    'projection_stopped',
    '1 while a projection waits before an event that cannot be folded or stored.',
    'projection',
  );
  const unlogged = meters.counter(
    'log_lines_dropped_total',
    'Lines that are missing in the log because standard output could not take them.',
  );
  return {
    http: {
      responded: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
      shed: () => shed.inc(),
    },
    projections: {
      folded: (projection, count, behindSince) => {
        events.inc({ projection }, count);
        lag.set({ projection }, behindSince === undefined ? 0 : Math.max(0, Date.now() - behindSince) / 1_000);
      },
      stopped: (projection, isStopped) => stoppedGauge.set({ projection }, Number(isStopped)),
    },
    sealing: sealingMetrics(meters),
    queues: queueMetrics(meters),
    auditLog: auditLogMetrics(meters, witnesses.length),
    unlogged: (lines) => unlogged.inc(lines),
    contentType: register.contentType,
    text: (stopped) => {
      for (const [projection, isStopped] of stopped) stoppedGauge.set({ projection }, Number(isStopped));
      return register.metrics();
    },
  };
};

const sealingMetrics = ({ counter }: Meters): SealingMetrics => {
  const withoutKey = counter(
    'personal_events_without_key_total',
    'Events read whose personal fields are null as the key of the person was erased or lost.',
  );
  const tampered = counter(
    'personal_events_tampered_total',
    'Events read whose personal fields are null because the event was altered or they were never sealed.',
  );
  return { withoutKey: () => withoutKey.inc(), tampered: () => tampered.inc() };
};

const auditLogMetrics = ({ gauge }: Meters, witnesses: number): LogMetrics => {
  gauge('audit_log_witnesses', 'Witnesses that this process asks for cosignatures (WITNESSES).').set(witnesses);
  const stopped = gauge(
    'audit_log_stopped',
    '1 while no checkpoint is signed because the log differs from what was signed, else 0.',
  );
  const cosignatures = gauge(
    'audit_log_cosignatures',
    'Witnesses that have cosigned the published checkpoint; NaN while the vault cannot be read.',
  );
  const altered = gauge(
    'audit_log_altered',
    '1 if the last daily proof found that the log differs from what was signed, else 0.',
  );
  const proofLate = gauge(
    'audit_log_proof_late',
    '1 if the log was not proven for 26 hours, else 0; NaN while the vault cannot be read.',
  );
  return (found) => {
    proofLate.set(Number(found?.isProofLate));
    altered.set(Number(found?.faults.has('proof')));
    stopped.set(Number(found?.faults.has('signing')));
    cosignatures.set(Number(found?.cosignatures));
  };
};

const queueMetrics = ({ gauge }: Meters): QueueMetrics => {
  const reachable = gauge('queue_reachable', '1 while this process reaches the job queues, else 0.');
  const jobs = gauge(
    'queue_jobs',
    'Jobs that wait or run, those planned for later included; absent while the queues cannot be reached.',
    'queue',
  );
  const deadLetters = gauge(
    'queue_dead_letters',
    'Jobs that failed at every attempt; absent while the queues cannot be reached.',
    'queue',
  );
  const paused = gauge(
    'queue_paused',
    '1 while the queue is paused, so that none of its jobs runs; absent while the queues cannot be reached.',
    'queue',
  );
  const unqueued = gauge(
    'unqueued_messages',
    'Codes and messages about decisions that wait in the vault for their queue, each counted to 1,000; NaN while the vault cannot be read.',
  );
  return {
    queues: (counts) => {
      reachable.set(Number(counts !== undefined));
      for (const gauge of [jobs, deadLetters, paused]) gauge.reset();
      for (const each of counts ?? []) {
        jobs.set({ queue: each.queue }, each.jobs);
        deadLetters.set({ queue: each.queue }, each.deadLetters);
        paused.set({ queue: each.queue }, Number(each.isPaused));
      }
    },
    unqueued: (messages = Number.NaN) => unqueued.set(messages),
  };
};
