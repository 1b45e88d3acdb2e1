// Sends a request at a rate that does not depend on the responses.
import { atRate, Connections } from '../lib/connections.js';
import type { OpenLoop, OpenLoopResult } from '../lib/overload.js';
import { percentile } from '../lib/stats.js';
import { taskOptions, writeResult } from '../lib/task.js';

// The connections are opened before the load, because opening thousands of them would delay the requests.
const CONNECTIONS = 3_000;

const { url, request, perSecond, seconds } = taskOptions<OpenLoop>();
const connections = new Connections(url);
await connections.open(CONNECTIONS);
const counts = { accepted: 0, shed: 0, failed: 0, unsent: 0 };
const times: number[] = [];
const refusals: number[] = [];
const late: number[] = [];
const underWay: Promise<void>[] = [];

const sendOne = async (dueAt: number): Promise<void> => {
  const sentAt = performance.now();
  late.push(sentAt - dueAt);
  if (!connections.hasFree) {
    counts.unsent += 1;
    return;
  }
  const { status } = await connections.send(request);
  const ms = performance.now() - sentAt;
  if (status === 0) counts.failed += 1;
  else if (status === 503) {
    counts.shed += 1;
    refusals.push(ms);
  } else {
    counts.accepted += 1;
    times.push(ms);
  }
};

await atRate(perSecond, seconds, (dueAt) => underWay.push(sendOne(dueAt)));
const drainingFrom = performance.now();
await Promise.all(underWay);
const result: OpenLoopResult = {
  ...counts,
  acceptedP50: percentile(times, 0.5),
  acceptedP99: percentile(times, 0.99),
  acceptedMax: times.reduce((max, ms) => Math.max(max, ms), 0),
  shedP99: refusals.length === 0 ? 0 : percentile(refusals, 0.99),
  lateP99: percentile(late, 0.99),
  drainMs: performance.now() - drainingFrom,
};
connections.close();
writeResult(result);
