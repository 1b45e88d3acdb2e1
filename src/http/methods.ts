// What an address answers to the methods that it does not take.
import type { RequestHandler } from 'express';
import { Problem } from './problems.js';

/** Answers OPTIONS with what the address takes, and refuses every other method but `methods`, which come before it. */
export const otherMethods = (methods: readonly string[]): RequestHandler => {
  const taken = methods.map((method) => method.toUpperCase());
  const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') throw new Problem('method-not-allowed', { headers: { Allow: allow } });
    response.writeHead(204, { Allow: allow }).end();
  };
};
