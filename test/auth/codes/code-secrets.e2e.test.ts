// Only the message contains the code. The vault, the jobs and the log contain neither the code nor the contact in plain
// text. code-secrets.engines.test.ts looks for them in Redis.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Codes } from '../../../src/auth/codes/codes.js';
import { readConfig } from '../../../src/config.js';
import type { Message } from '../../../src/infrastructure/notifier/notifier.js';
import { openStores } from '../../../src/stores.js';
import { bytesUnder, foundIn, newCanaries } from '../../support/canaries.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { Server } from '../../support/server.js';
import { ALL_PURPOSES, codeIn, codeRequest, holdsCode } from './support/codes-harness.js';

const canaries = newCanaries();
const phone = `+55${canaries.phone.replaceAll(/\D/g, '')}`;
const toPhone = { ...codeRequest, owner: phone, to: { userId: 'bia', contact: phone }, channel: 'SMS' } as const;
const toMail = {
  ...codeRequest,
  owner: canaries.email,
  to: { userId: 'ana', contact: canaries.email },
  confirms: canaries,
};

/** Starts a mail server that refuses every message and repeats it in the refusal. `texts` holds the messages. */
const refusingMailServer = async () => {
  const texts: string[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true, closeTimeout: 1, logger: false },
    onData: (stream, { envelope }, done) => {
      const refuse = async () => {
        const text = Buffer.concat(await stream.toArray()).toString();
        texts.push(text);
        const reason = `no: ${JSON.stringify(envelope.rcptTo)} ${text.replaceAll(/\s+/g, ' ')}`;
        throw Object.assign(new Error(reason), { responseCode: 554 });
      };
      refuse().then(undefined, done);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  return { texts, url: `smtp://127.0.0.1:${port}` };
};

describe('a code that the built service sends', () => {
  it('reaches only the outbox or the mail server, and neither the code nor the contact is in a file or in the log', async () => {
    const directory = temporaryDirectory();
    const { url, texts } = await refusingMailServer();
    const environment = { LOG_LEVEL: 'trace', SMTP_URL: url, MAIL_FROM: 'no-reply@example.org' };
    const server = new Server(directory, environment);
    await server.start();
    onTestFinished(async () => void (await server.stop()));
    const stores = await openStores(readConfig({ DATA_DIR: directory }), {
      onError: (error) => expect.fail(error.message),
      sealing: { damaged: () => {}, tampered: () => {}, withoutKey: () => {} },
    });
    const codes = new Codes({ ...stores, onUnsent: () => {} });
    await codes.issue(toPhone);
    await codes.issue(toMail);

    const outbox = join(directory, 'outbox');
    await eventually(() => expect(readdirSync(outbox).filter((name) => name.endsWith('.json'))).toHaveLength(1));
    const [file = ''] = readdirSync(outbox);
    const message = JSON.parse(readFileSync(join(outbox, file), 'utf8')) as Message;
    const failures = () => server.log.filter((line) => line['attempt'] !== undefined);
    await eventually(() => expect(failures().length).toBeGreaterThan(0));
    expect(failures()[0]).toMatchObject({ attempt: 1, err: { message: expect.stringContaining('554') } });
    const sms = codeIn(message);
    const mail = codeIn({ text: texts[0]?.slice(texts[0].indexOf('\r\n\r\n')) ?? '' });
    expect([sms, mail]).toEqual([expect.stringMatching(/^\d{6,8}$/), expect.stringMatching(/^\d{6,8}$/)]);

    const inUse = { name: 'in use', bytes: bytesUnder(directory, 'vault', 'work', 'facts', 'views', 'master') };
    expect(await codes.redeem(phone, sms, ALL_PURPOSES)).toMatchObject({ userId: 'bia' });
    expect(await codes.redeem(canaries.email, mail, ALL_PURPOSES)).toMatchObject({ userId: 'ana', confirms: canaries });
    await stores.close();
    await server.stop();
    const after = { name: 'after', bytes: bytesUnder(directory, 'vault', 'work', 'facts', 'views', 'master') };
    const log = { name: 'log', bytes: Buffer.from(JSON.stringify(server.log)) };
    for (const { name, bytes } of [inUse, after, log]) {
      expect(bytes.length, name).toBeGreaterThan(1_000);
      expect(foundIn(bytes, canaries), name).toEqual([]);
      expect([holdsCode(bytes, sms), holdsCode(bytes, mail)], name).toEqual([false, false]);
    }
    const sent = readFileSync(join(outbox, file));
    expect([holdsCode(sent, sms), foundIn(sent, canaries).length > 0]).toEqual([true, true]);
  });
});
