// Reads the query parameters of a request. A GET rejects parameters that the route does not define.
import { z } from 'zod';
import { INSTANT, instantOf } from '../../domain/comparable.js';
import { formatted } from '../../domain/fields.js';
import type { RequestErrors } from '../problems/request-errors.js';
import { checkParameters } from '../request/checking.js';
import { CONTROL, NO_CONTROL } from '../request/strict-json.js';
import { has, type Route } from './route.js';

type Parameters = Readonly<Record<string, unknown>>;

/**
 * A timestamp in a query. A client must encode the plus sign of an offset, because a query reads a plus sign as a
 * space.
 */
export const instantParameter = formatted(
  64,
  (error) => z.regex(INSTANT, error),
  'is not an instant; send date, time and offset, such as 2026-11-22T15:00:00Z or 2026-11-22T12:00:00%2B03:00',
).meta({ openapi: { type: 'string', format: 'date-time' } });

const Instant = z.object({ asOf: instantParameter.optional() });

interface ReadQuery {
  /** The parameters as the route's schema parses them; undefined if the schema rejected them. */
  readonly query: unknown;
  readonly asOf: string | undefined;
  /** The parameters that the route accepts; undefined if the query has no others. */
  readonly knownParameters: readonly string[] | undefined;
}

/** Returns the reader of the queries of a route. It adds every error of a query to `refused`. */
export const queryReaderOf = (route: Route) => {
  const { method, query, travelsInTime, ignoresUnknownParameters } = route;
  const known = [...(query instanceof z.ZodObject ? Object.keys(query.shape) : []), ...(travelsInTime ? ['asOf'] : [])];
  const isStrict = method === 'get' && !ignoresUnknownParameters && !has(route, 'probe');
  const accepted = known.length === 0 ? 'no parameters' : known.join(', ');

  return (sent: Parameters, refused: RequestErrors): ReadQuery => {
    const unknown = Object.keys(sent).filter((name) => isStrict && !known.includes(name));
    for (const name of unknown) {
      refused.inParameter(name, 'unknown-parameter', `is unknown; this address accepts ${accepted}`);
    }
    refuseControl(sent, known, refused);
    return {
      query: query && checkParameters(query, sent, refused),
      asOf: travelsInTime ? asOfIn(sent, refused) : undefined,
      knownParameters: unknown.length === 0 ? undefined : known,
    };
  };
};

const refuseControl = (sent: Parameters, known: readonly string[], refused: RequestErrors): void => {
  for (const name of known) {
    const value = sent[name];
    if (value !== undefined && CONTROL.test(String(value))) refused.inParameter(name, 'control-character', NO_CONTROL);
  }
};

const asOfIn = (sent: Parameters, refused: RequestErrors): string | undefined => {
  const asOf = sent['asOf'] === undefined ? undefined : checkParameters(Instant, sent, refused)?.asOf;
  return asOf && new Date(instantOf(asOf)).toISOString();
};
