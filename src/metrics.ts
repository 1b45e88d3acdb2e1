// The metrics of a process for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ScrapedMetrics } from './http/pages/health.js';
import type { HttpMetrics } from './http/server/entrance.js';
import type { SealingMetrics } from './infrastructure/sealing/watch.js';
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

/** Returns the metrics of this process, including those of Node.js. */
export const createMetrics = (): Metrics => {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by route and status, and how long they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 10],
    registers,
  });
  const shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests that were rejected because too many were waiting.',
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
    help: '1 while a projection waits before an event that cannot be folded or stored.',
    labelNames: ['projection'],
    registers,
  });
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
    sealing: sealingMetrics(registers),
    queues: queueMetrics(registers),
    auditLog: auditLogMetrics(registers),
    unlogged: unloggedMetric(registers),
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
    help: 'Events read whose personal fields are null because the event was altered or they were never sealed.',
    registers,
  });
  return { withoutKey: () => withoutKey.inc(), tampered: () => tampered.inc() };
};

const unloggedMetric = (registers: Registry[]): Metrics['unlogged'] => {
  const unlogged = new Counter({
    name: 'log_lines_dropped_total',
    help: 'Lines that are missing in the log because standard output could not take them.',
    registers,
  });
  return (lines) => unlogged.inc(lines);
};

const auditLogMetrics = (registers: Registry[]): LogMetrics => {
  const stopped = new Gauge({
    name: 'audit_log_stopped',
    help: '1 while no checkpoint is signed because the log differs from what was signed, else 0.',
    registers,
  });
  const cosignatures = new Gauge({
    name: 'audit_log_cosignatures',
    help: 'Witnesses that have cosigned the published checkpoint; NaN while the vault cannot be read.',
    registers,
  });
  const altered = new Gauge({
    name: 'audit_log_altered',
    help: '1 if the last daily proof found that the log differs from what was signed, else 0.',
    registers,
  });
  const proofLate = new Gauge({
    name: 'audit_log_proof_late',
    help: '1 if the log was not proven for 26 hours, else 0; NaN while the vault cannot be read.',
    registers,
  });
  return (found) => {
    proofLate.set(Number(found?.isProofLate));
    altered.set(Number(found?.faults.has('proof')));
    stopped.set(Number(found?.faults.has('signing')));
    cosignatures.set(Number(found?.cosignatures));
  };
};

const queueMetrics = (registers: Registry[]): QueueMetrics => {
  const reachable = new Gauge({
    name: 'queue_reachable',
    help: '1 while this process reaches the job queues, else 0.',
    registers,
  });
  const jobs = new Gauge({
    name: 'queue_jobs',
    help: 'Jobs that wait or run, those planned for later included; absent while the queues cannot be reached.',
    labelNames: ['queue'],
    registers,
  });
  const deadLetters = new Gauge({
    name: 'queue_dead_letters',
    help: 'Jobs that failed at every attempt; absent while the queues cannot be reached.',
    labelNames: ['queue'],
    registers,
  });
  const paused = new Gauge({
    name: 'queue_paused',
    help: '1 while the queue is paused, so that none of its jobs runs; absent while the queues cannot be reached.',
    labelNames: ['queue'],
    registers,
  });
  const unqueued = new Gauge({
    name: 'unqueued_messages',
    help: 'Messages that wait in the vault for their queue, counted to 1,000; NaN while the vault cannot be read.',
    registers,
  });
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
