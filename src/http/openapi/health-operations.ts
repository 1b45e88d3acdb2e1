// The operations of /livez, /readyz and /metrics in the OpenAPI document.
import { z } from 'zod';
import type { Callers } from '../access/access.js';
import type { Readiness } from '../pages/health.js';
import type { NamedSchemas } from '../request/json-schemas.js';
import { refusalsOfEvery } from '../route/refusals.js';
import type { Problems } from './problems.js';
import { tagOf } from './tags.js';

const Alive = z.object({ status: z.literal('alive') }).meta({ id: 'Liveness' });

const ProjectionReadiness = z
  .object({
    name: z.string(),
    state: z.enum(['current', 'catching-up', 'stopped']),
    position: z
      .string()
      .nullable()
      .exactOptional()
      .describe('Only in responses to administrators and, in an open service, to everyone.'),
    stopped: z
      .object({ position: z.string(), reason: z.string() })
      .exactOptional()
      .describe('The event before which the read model stopped, and the reason. Restricted like `position`.'),
  })
  .meta({ id: 'ProjectionReadiness' });

const ReadinessFault = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'ReadinessFault' });

const Ready = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'not-ready'])
      .describe(
        '`degraded` means that all requests are served, but an operator should handle the faults in this response.',
      ),
    reason: z
      .string()
      .exactOptional()
      .describe(
        'Why the process is not ready. If a store is unavailable, only callers who see `position` see more than its name.',
      ),
    faults: z
      .array(ReadinessFault)
      .exactOptional()
      .describe('Faults other than stopped read models. Absent if there are none.'),
    projections: z.array(ProjectionReadiness),
  })
  .meta({ id: 'Readiness' }) satisfies z.ZodType<Readiness>;

interface Page {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly statuses: Readonly<Record<number, string>>;
  readonly responses: z.ZodType | 'text/plain';
}

/** The pages by path. */
const PAGES: Readonly<Record<string, Page>> = {
  '/livez': {
    operationId: 'getLiveness',
    summary: 'Checks whether the process is alive',
    description: 'A process that responds is alive. The check does not use any store.',
    statuses: { 200: 'The process is alive.' },
    responses: Alive,
  },
  '/readyz': {
    operationId: 'getReadiness',
    summary: 'Checks whether the process can serve requests',
    description: 'The process becomes ready when every read model has caught up with the end of the log at start.',
    statuses: { 200: 'The process is ready, or degraded but usable.', 503: 'The process is not ready.' },
    responses: Ready,
  },
  '/metrics': {
    operationId: 'getMetrics',
    summary: 'Returns the metrics of the process',
    description: "The response is in Prometheus's text format.",
    statuses: { 200: 'The metrics.' },
    responses: 'text/plain',
  },
};

/** The parts of the document that describe the pages. */
interface Described {
  readonly schemas: NamedSchemas;
  readonly problems: Problems;
  readonly callers: Callers;
}

/** Returns the path items of the pages. */
export const healthPaths = (described: Described): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(PAGES).map(([path, page]) => [path, { get: operationOf(path, page, described) }]));

const operationOf = (path: string, { statuses, responses, ...texts }: Page, described: Described) => {
  const { schemas, problems, callers } = described;
  const content =
    responses === 'text/plain'
      ? { 'text/plain': { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemas.shown(responses, 'output') } };
  return {
    ...texts,
    tags: [tagOf(path)],
    security: [],
    servers: [{ url: '/' }],
    parameters: [],
    responses: {
      ...problems.responsesOf(refusalsOfEvery(callers)),
      ...Object.fromEntries(
        Object.entries(statuses).map(([status, description]) => [
          status,
          status === '503' ? { description, content: withExample(content, NOT_READY) } : { description, content },
        ]),
      ),
    },
  };
};

// Without it, a viewer would show `ready`, the first value of `status`, under 503.
const NOT_READY: Readiness = {
  status: 'not-ready',
  reason: 'the event store is unavailable',
  projections: [{ name: 'protocols', state: 'catching-up' }],
};

const withExample = (content: Readonly<Record<string, object>>, example: unknown) =>
  Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, example }]));
