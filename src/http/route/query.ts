// Reads the query parameters of a request. A GET rejects parameters that the route does not define.
import { z } from 'zod';
import type { RequestErrors } from '../problems/request-errors.js';
import { checkParameters } from '../request/checking.js';
import { instantParameter } from '../request/schemas.js';
import type { Route } from './route.js';

type Parameters = Readonly<Record<string, unknown>>;

const Instant = z.object({ asOf: instantParameter.optional() });

/** The result of reading a query. */
export interface ReadQuery {
  /** The parameters as the route's schema parses them; undefined if the schema rejected them. */
  readonly query: unknown;
  readonly asOf: string | undefined;
  /** The parameters that the route accepts; undefined if the query has no others. */
  readonly knownParameters: readonly string[] | undefined;
}

/** Reads the query of a request. Adds every error of the query to `refused`. */
export const readQuery = (route: Route, sent: Parameters, refused: RequestErrors): ReadQuery => {
  const { known, isStrict } = parametersOf(route);
  const names = Object.keys(sent);
  const unknown = isStrict ? names.filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0) refuse(unknown, known, refused);
  const travels = route.travelsInTime && names.length > 0 ? checkParameters(Instant, sent, refused) : undefined;
  return {
    query: route.query && checkParameters(route.query, sent, refused),
    asOf: travels?.asOf === undefined ? undefined : new Date(travels.asOf).toISOString(),
    knownParameters: unknown.length === 0 ? undefined : known,
  };
};

const refuse = (unknown: readonly string[], known: readonly string[], refused: RequestErrors): void => {
  const accepted = known.length === 0 ? 'no parameters' : known.join(', ');
  for (const name of unknown) {
    refused.inParameter(name, 'unknown-parameter', `is unknown; this address accepts ${accepted}`);
  }
};

interface RouteParameters {
  readonly known: readonly string[];
  /** Whether the route rejects other parameters. */
  readonly isStrict: boolean;
}

const parametersByRoute = new WeakMap<Route, RouteParameters>();
const parametersOf = (route: Route): RouteParameters => {
  const parameters = parametersByRoute.get(route) ?? parametersIn(route);
  parametersByRoute.set(route, parameters);
  return parameters;
};

const parametersIn = ({ method, query, travelsInTime, ignoresUnknownParameters, isProbe }: Route): RouteParameters => ({
  known: [...(query instanceof z.ZodObject ? Object.keys(query.shape) : []), ...(travelsInTime ? ['asOf'] : [])],
  isStrict: method === 'get' && !ignoresUnknownParameters && !isProbe,
});
