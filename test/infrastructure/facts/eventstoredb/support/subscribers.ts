// The subscribers of a test of subscriptions to EventStoreDB, and the outages that they report.
import { afterEach, beforeEach, expect } from 'vitest';
import type { EventStoreDbFacts, EventStoreDbOptions } from '../../../../../src/infrastructure/facts/eventstoredb.js';
import { eventually } from '../../../../support/eventually.js';
import { newAggregate, newEvents, newStream, Subscriber } from '../../support/harness.js';
import { sharedNode } from './node.js';

/** Returns the server of `sharedNode`, and subscribers that end with the test. */
export const sharedSubscribers = () => {
  const subscribed: Subscriber[] = [];
  const outages: Error[] = [];
  const node = sharedNode();
  const { server } = node;
  // Declared after the node, so that subscribers end before their facts are closed.
  afterEach(() => Promise.all(subscribed.splice(0).map((subscriber) => subscriber.end())));
  beforeEach(() => void outages.splice(0));
  const open = (options: EventStoreDbOptions = {}) =>
    node.open({ pollMs: 20, onOutage: (reason) => void outages.push(reason), ...options });
  const subscribe = (facts: EventStoreDbFacts, aggregate: string, after?: string) => {
    const subscriber = new Subscriber(facts, { aggregates: [aggregate], after });
    subscribed.push(subscriber);
    return subscriber;
  };
  /** Returns a subscriber that has one event of its aggregate, and that the server has a subscription for. */
  const live = async (options: EventStoreDbOptions = {}) => {
    const facts = open(options);
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    const subscriber = subscribe(facts, aggregate);
    await facts.append(stream, 'no-stream', newEvents(1));
    await eventually(() => expect(subscriber.events).toHaveLength(1));
    await eventually(() => expect(server.subscriptions).toBe(1));
    return { facts, stream, subscriber };
  };
  return { server, outages, open, subscribe, live };
};
