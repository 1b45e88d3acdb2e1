// What the OpenAPI document says of the pages for operators: /livez, /readyz and /metrics.
import { z } from 'zod';
import type { Callers } from '../kernel/access.js';
import type { NamedSchemas } from '../kernel/json-schemas.js';
import { refusalsOfEvery } from '../kernel/refusals.js';
import type { Readiness } from './health.js';
import type { Problems } from './openapi-problems.js';
import { tagOf } from './openapi-tags.js';

const Alive = z.object({ status: z.literal('alive') }).meta({ id: 'Liveness' });

const ProjectionReadiness = z
  .object({
    name: z.string(),
    state: z.enum(['current', 'catching-up', 'stopped']),
    position: z.string().nullable().exactOptional().describe('Shown to callers who may see what administrators see.'),
    stopped: z
      .object({ position: z.string(), reason: z.string() })
      .exactOptional()
      .describe('The event before which the read model stopped, and why. Shown as `position` is.'),
  })
  .meta({ id: 'ProjectionReadiness' });

const ReadinessFault = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'ReadinessFault' });

const Ready = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'not-ready'])
      .describe('`degraded`: all is served, but an operator should look at what is named here.'),
    reason: z.string().exactOptional().describe('Why the process is not ready.'),
    faults: z
      .array(ReadinessFault)
      .exactOptional()
      .describe('Faults beside those of the read models; absent if there are none.'),
    projections: z.array(ProjectionReadiness),
  })
  .meta({ id: 'Readiness' }) satisfies z.ZodType<Readiness>;

interface Page {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly statuses: Readonly<Record<number, string>>;
  readonly answers: z.ZodType | 'text/plain';
}

/** The pages by path. */
const PAGES: Readonly<Record<string, Page>> = {
  '/livez': {
    operationId: 'getLiveness',
    summary: 'Tells whether the process is alive',
    description: 'Looks at no store: a process that responds is alive.',
    statuses: { 200: 'The process is alive.' },
    answers: Alive,
  },
  '/readyz': {
    operationId: 'getReadiness',
    summary: 'Tells whether the process can serve requests',
    description: 'The process is ready once every read model has caught up with the log as it was at start.',
    statuses: { 200: 'The process is ready, or degraded but usable.', 503: 'The process is not ready.' },
    answers: Ready,
  },
  '/metrics': {
    operationId: 'getMetrics',
    summary: 'Reads the metrics of the process',
    description: "In Prometheus's text format.",
    statuses: { 200: 'The metrics.' },
    answers: 'text/plain',
  },
};

/** What describes the pages. */
interface Described {
  readonly schemas: NamedSchemas;
  readonly problems: Problems;
  readonly callers: Callers;
}

/** Returns the path items of the pages. */
export const healthPaths = (described: Described): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(PAGES).map(([path, page]) => [path, { get: operationOf(path, page, described) }]));

const operationOf = (path: string, { statuses, answers, ...said }: Page, described: Described) => {
  const { schemas, problems, callers } = described;
  const content =
    answers === 'text/plain'
      ? { 'text/plain': { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemas.shown(answers, 'output') } };
  return {
    ...said,
    tags: [tagOf(path)],
    security: [],
    servers: [{ url: '/' }],
    parameters: [],
    responses: {
      ...problems.responsesOf(refusalsOfEvery(callers)),
      ...Object.fromEntries(
        Object.entries(statuses).map(([status, description]) => [status, { description, content }]),
      ),
    },
  };
};
