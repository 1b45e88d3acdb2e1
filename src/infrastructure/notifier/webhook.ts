// SMS by an HTTP endpoint of the operator's, which hands them to whatever provider.
import { createHmac } from 'node:crypto';
import { type Message, type Notifier, NotSent } from './notifier.js';

const TIMEOUT_MS = 10_000;

/** Where messages are posted, and the secret that they are signed with. */
export interface WebhookSettings {
  readonly url: string;
  readonly secret: string;
}

/** Posts `{id, to, text}`, signed; any answer of 200 to 299 accepts it. */
export class WebhookNotifier implements Notifier {
  readonly #settings: WebhookSettings;

  constructor(settings: WebhookSettings) {
    this.#settings = settings;
  }

  async send({ id, to, text }: Message, signal: AbortSignal): Promise<void> {
    const { url, secret } = this.#settings;
    const body = JSON.stringify({ id, to, text });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': id, ...signed(body, secret) };
    const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // A redirect is followed nowhere: the message is for the address that the operator named.
    const request = { method: 'POST', body, headers, redirect: 'manual', signal: within } as const;
    const response = await fetch(url, request).catch(failed);
    await response.body?.cancel();
    if (!response.ok) throw new NotSent(`the webhook answered ${response.status}`);
  }
}

/** The headers that prove who sends a body and when: HMAC-SHA256 over `<timestamp>.<body>` in hexadecimal digits. */
const signed = (body: string, secret: string): Readonly<Record<string, string>> => {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'X-Webhook-Timestamp': timestamp, 'X-Webhook-Signature': `sha256=${signature}` };
};

// The words of an error may hold the address of the endpoint, which may hold a token.
const failed = (error: unknown): never => {
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: { readonly code?: unknown } };
  throw new NotSent(`the webhook cannot be reached or did not answer: ${String(cause?.code ?? name)}`);
};
