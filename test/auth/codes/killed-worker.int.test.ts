import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../../src/auth/codes/deliveries.js';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { OutboxNotifier } from '../../../src/infrastructure/notifier/outbox.js';
import { temporaryDirectory } from '../../support/directory.js';
import {
  ana,
  codeFixture,
  codeIn,
  codeRequest,
  embeddedStores,
  Inbox,
  startDelivering,
} from './support/codes-harness.js';

const program = fileURLToPath(new URL('support/dying-sender.mjs', import.meta.url));

describe('a worker that is killed after sending a message and before completing the job', () => {
  it('leaves a job that runs again, but sends only one message', async () => {
    const directory = temporaryDirectory();
    const stores = embeddedStores(directory);
    const { codes, queued, settled, deadLetters, redeem } = codeFixture(stores);
    await codes.issue(codeRequest);
    await queued();
    const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'inherit', 'inherit'] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const outbox = join(directory, 'outbox');
    const files = () => readdirSync(outbox);
    const first = files();
    expect(first).toHaveLength(1);
    expect(await stores.work.pending(NOTIFICATION_QUEUE)).toBe(1);
    const inbox = new Inbox((message) => new OutboxNotifier(outbox).send(message, new AbortController().signal));
    startDelivering(stores, inbox);
    await settled();
    expect(inbox.messages).toHaveLength(1);
    expect(files()).toEqual(first);
    expect(await deadLetters()).toEqual([]);
    const message = JSON.parse(readFileSync(join(outbox, first[0] ?? ''), 'utf8')) as Message;
    expect(await redeem(codeIn(message))).toMatchObject({ userId: ana.userId });
  });
});
