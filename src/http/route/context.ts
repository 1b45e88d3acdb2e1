// The service as route handlers see it.
import { presentInstitutions } from '../../commands/attachment-names.js';
import type { Check } from '../../commands/checked-command.js';
import type { CommandContext } from '../../commands/context.js';
import type { Outcome, Target } from '../../commands/handle-command.js';
import type { Decider, Of, Schemas } from '../../domain/decider.js';
import { protocol } from '../../domain/protocol/decide.js';
import type { Protocol } from '../../domain/protocol/fold.js';
import type { protocolCommands } from '../../domain/protocol/schemas.js';
import { pace } from '../../infrastructure/pace.js';
import type { Service } from '../../service.js';
import { type LoadOpaque, opaqueOf } from './opaque.js';
import { Reader, type Resource } from './reading.js';
import type { Shown, WriteResult } from './route.js';

/** The operator's settings for routes. */
interface RouteSettings {
  /** Whether a rejection of a profile needs a reason. */
  readonly isReasonRequired: boolean;
}

/** What the handlers of routes use: the service, and how they read and write its resources. */
export interface RouteContext extends Service, RouteSettings {
  readonly reader: Reader;
  /** Loads the `Opaque` that seals cursors and consistency tokens. */
  readonly opaque: LoadOpaque;
  /** Handles a command. Returns the response, which shows the resource after the command. */
  readonly write: <S, E extends Schemas, C extends Schemas>(
    resource: Resource<S> & { readonly decider: Decider<S, E, C> },
    target: Target,
    command: Of<C>,
    by: CommandContext,
  ) => Promise<WriteResult>;
  /** Does the same for a command on a protocol, after the check if there is one. */
  readonly writeChecked: (
    resource: Resource<Protocol>,
    target: Target,
    command: Of<typeof protocolCommands>,
    given: { readonly check: Check | undefined; readonly by: CommandContext },
  ) => Promise<WriteResult>;
}

/** Returns the `RouteContext` of a service. */
export const routeContextOf = (service: Service, { isReasonRequired }: RouteSettings): RouteContext => {
  const opaque = opaqueOf(service.serviceKey);
  const shown = async <S>({ name, show }: Resource<S>, target: Target, outcome: Outcome<S>): Promise<WriteResult> => {
    // One message of the store acknowledges many writes.
    await pace.goOn();
    const result = writeResult(outcome, await show(outcome.state, presentInstitutions(service.streams)));
    return target === 'new' ? { ...result, location: `/${name}/${outcome.id}` } : result;
  };
  return {
    ...service,
    reader: new Reader({ ...service, opaque }),
    opaque,
    isReasonRequired,
    write: async (resource, target, command, by) =>
      shown(resource, target, await service.handle(resource.decider, target, command, by)),
    writeChecked: async (resource, target, command, { check, by }) => {
      const handled = check
        ? service.handleChecked(target, command, check, by)
        : service.handle(protocol, target, command, by);
      return shown(resource, target, await handled);
    },
  };
};

/** Returns the payload of the first event of this type that a command recorded. Throws if it recorded none. */
export const recordedPayload = <
  Event extends { readonly type: string; readonly data: unknown },
  T extends Event['type'],
>(
  { events }: { readonly events: readonly Event[] },
  type: T,
): Extract<Event, { readonly type: T }>['data'] => {
  const found = events.find((event): event is Extract<Event, { readonly type: T }> => event.type === type);
  if (found === undefined) throw new Error(`the command recorded no ${type}`);
  return found.data;
};

/** Returns the response to a write: `value`, which is the aggregate or a part of it after the write. */
export const writeResult = (outcome: Written, value: unknown): WriteResult => {
  const { revision, position } = outcome;
  return { body: JSON.stringify(value), revision, position, made: shownOf(outcome, value) };
};

type Written = Pick<Outcome<unknown>, 'aggregate' | 'id' | 'revision' | 'position'>;

/** Returns what a response shows of an aggregate: a value with an id, or a protocol and its form. */
export const shownOf = ({ aggregate, id, revision }: Written, value: unknown): Shown => {
  const { id: own, ...others } = { ...(value as Partial<Identified>) };
  const parts = own === undefined ? Object.values(others as Record<string, Identified | null>) : [{ id: own }];
  return { aggregate, id, revision, parts: parts.flatMap((part) => part?.id ?? []) };
};

interface Identified {
  readonly id: string;
}
