// Rates of requests that differ from each other, by Node's own client.
import { Caller } from './caller.js';
import { CONNECTIONS } from './load.js';

/** Sends the next request of a connection, counted from 0, by its caller. */
export type Send = (caller: Caller, connection: number) => Promise<unknown>;

/** Requests a second of as many connections as every load has, each sending so many one after the other. */
export const rateOf = async (url: string, each: number, send: Send): Promise<number> => {
  const callers = Array.from({ length: CONNECTIONS }, () => new Caller(url));
  const started = performance.now();
  await Promise.all(
    callers.map(async (caller, connection) => {
      for (let turn = 0; turn < each; turn += 1) await send(caller, connection);
      caller.close();
    }),
  );
  return (CONNECTIONS * each * 1_000) / (performance.now() - started);
};
