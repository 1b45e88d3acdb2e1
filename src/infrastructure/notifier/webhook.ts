// Sends SMS through an HTTP endpoint of the operator, which passes them to a provider.
import { createHmac } from 'node:crypto';
import { Final } from '../work/work.js';
import { AllRefused, type Notifier, NotSent } from './notifier.js';

const TIMEOUT_MS = 10_000;
const TEMPORARY: readonly number[] = [408, 425, 429];
// As a redirect does, these say that the URL or the secret is wrong.
const REFUSES_ALL: readonly number[] = [401, 403, 404, 405];

type WebhookSettings = Readonly<Record<'url' | 'secret', string>>;

/** Posts `{id, to, text}` with a signature. Any status from 200 to 299 accepts the message. */
export const webhookNotifier = ({ url, secret }: WebhookSettings): Notifier => ({
  send: async ({ id, to, text }, signal) => {
    const body = JSON.stringify({ id, to, text });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': id, ...signatureHeaders(body, secret) };
    const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // Redirects are not followed, because the message is meant only for the configured URL.
    const request = { method: 'POST', body, headers, redirect: 'manual', signal: within } as const;
    const response = await fetch(url, request).catch(failed);
    await response.body?.cancel();
    if (!response.ok) throw refusalOf(response.status);
  },
});

const refusalOf = (status: number): Error => {
  const reason = `the webhook responded with ${status}`;
  if (status < 400 || REFUSES_ALL.includes(status)) return new AllRefused(reason);
  return status >= 500 || TEMPORARY.includes(status) ? new NotSent(reason) : new Final(reason);
};

// Proves the sender and the time: HMAC-SHA256 over `<timestamp>.<body>` in hexadecimal digits.
const signatureHeaders = (body: string, secret: string) => {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'X-Webhook-Timestamp': timestamp, 'X-Webhook-Signature': `sha256=${signature}` };
};

// The message of an error is omitted, because it may contain the URL, which may contain a token.
const failed = (error: unknown): never => {
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: { readonly code?: unknown } };
  throw new NotSent(`the webhook is unreachable or did not respond: ${String(cause?.code ?? name)}`);
};
