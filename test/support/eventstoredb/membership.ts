// The cluster features of a node: gossip, and the rejection of calls that only the leader serves.
import { randomUUID } from 'node:crypto';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared, { type Empty } from '@eventstore/db-client/generated/shared_pb.js';
import {
  type handleUnaryCall,
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { HOST } from '../free-port.js';
import type { Backend } from './calls.js';
import { callError, notReady } from './errors.js';
import type { Store } from './store.js';

export type State = keyof typeof gossip.MemberInfo.VNodeState;

/** A node as the other nodes see it. */
export interface Member {
  readonly port: number;
  readonly state: State;
  readonly isAlive: boolean;
}

/** A node's view of its cluster. */
export interface Membership {
  /** The log that all nodes share. */
  readonly store: Store;
  /** The port on which clients connect to this node. */
  readonly port: number;
  /** Returns the port of the leader, or undefined during an election. */
  leader(): number | undefined;
  members(): readonly Member[];
}

/** Serves the list of members. Every node serves the same list. */
export const gossipHandler =
  (backend: Backend, { members }: Membership): handleUnaryCall<Empty, gossip.ClusterInfo> =>
  (_call, response) => {
    backend.called('gossip');
    response(null, new gossip.ClusterInfo().setMembersList(members().map(toInfo)));
  };

const toInfo = ({ port, state, isAlive }: Member) =>
  new gossip.MemberInfo()
    .setInstanceId(new shared.UUID().setString(randomUUID()))
    .setState(gossip.MemberInfo.VNodeState[state])
    .setIsAlive(isAlive)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(HOST).setPort(port));

/** Rejects calls that only the leader serves, on other nodes and during an election. */
export const leaderOnly =
  (membership: Membership): ServerInterceptor =>
  (_method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, receive) => {
            const refusal = refusalOf(membership, metadata);
            if (refusal === undefined) receive(metadata);
            else call.sendStatus(refusal);
          },
        }),
    });

const refusalOf = (membership: Membership, metadata: Metadata): ServiceError | undefined => {
  const leader = membership.leader();
  if (leader === membership.port || metadata.get('requires-leader')[0] !== 'true') return undefined;
  return leader === undefined ? notReady() : notLeader(leader);
};

const notLeader = (leader: number): ServiceError =>
  callError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': HOST,
    'leader-endpoint-port': String(leader),
  });
