// The test server in a process of its own, so that it can be stopped and killed as a real one. Run with the folder of its
// log and a port, where 0 picks a free one; says where clients connect to.
import { EventStoreDbServer } from './server.js';

const [directory = '', port = ''] = process.argv.slice(2);
const server = new EventStoreDbServer({ directory, port: Number(port) });
await server.start();
process.stdout.write(`${server.url}\n`);
