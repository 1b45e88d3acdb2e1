// Gives the group `clinic` of EventStoreDB or KurrentDB what the service needs, and nobody else any right but administrators:
//
//   EVENTSTORE_URL='esdb://admin:password@node1:2113?tls=true&tlsCAFile=/path/ca.crt' node deploy/eventstoredb-rights.mjs
//
// The second change replaces the default of the whole server. docs/operations.md says what that means for other programs.
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';

const admins = ['$admins'];
const clinic = ['clinic', ...admins];
const client = EventStoreDBClient.connectionString(process.env.EVENTSTORE_URL);

await client.setStreamMetadata('$all', { acl: { readRoles: clinic } });
// Without `$d` and `$mw`, the service itself can neither delete nor truncate a stream.
const data = {
  $userStreamAcl: { $r: clinic, $w: clinic, $d: admins, $mr: admins, $mw: admins },
  $systemStreamAcl: { $r: admins, $w: admins, $d: admins, $mr: admins, $mw: admins },
};
await client.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data }));
await client.dispose();
