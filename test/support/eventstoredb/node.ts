// Runs the test server as a separate process, which a test can suspend and kill. The arguments are the directory of the
// log and a port; 0 picks a free port. Prints the connection string.
import { EventStoreDbServer } from './server.js';

const [directory = '', port = ''] = process.argv.slice(2);
const server = new EventStoreDbServer({ directory, port: Number(port) });
await server.start();
process.stdout.write(`${server.url}\n`);
