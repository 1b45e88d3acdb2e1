// Writes long messages into an outbox until the process is killed. The argument is the directory.
import { OutboxNotifier } from '../../../../src/infrastructure/notifier/outbox.js';

const [directory = ''] = process.argv.slice(2);
const outbox = new OutboxNotifier(directory);
for (let number = 0; ; number += 1) {
  const message = {
    id: `${number}`,
    person: 'ana',
    channel: 'EMAIL',
    to: 'ana@example.org',
    subject: '',
    text: 'x'.repeat(200_000),
    writtenAt: 0,
  } as const;
  await outbox.send(message, new AbortController().signal);
}
