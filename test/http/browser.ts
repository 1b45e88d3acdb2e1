// A browser that the web client runs in: it keeps the cookies of answers, and its own pages send them back.
import type { Client, ClientResponse } from '../support/client.js';
import { cookiesOf, type SignIn, type TokenPair } from './signing-in.js';

type Kept = Readonly<Record<string, string>>;

/** A browser with no cookies yet. */
export class Browser {
  readonly #service: Client;
  readonly #cookies = new Map<string, string>();

  constructor(service: Client) {
    this.#service = service;
  }

  /** What it has. */
  get cookies(): Kept {
    return Object.fromEntries(this.#cookies);
  }

  /** Variant A: keeps the tokens of a sign-in. */
  keep({
    user,
    token,
    refreshToken,
  }: Pick<SignIn, 'user' | 'token' | 'refreshToken'>): Promise<ClientResponse<TokenPair>> {
    return this.#post('/api/update-token', { data: { user_id: user.id, token, refresh_token: refreshToken } });
  }

  /** Variant B: renews them by the refresh token that it has. */
  renew(): Promise<ClientResponse<TokenPair>> {
    const data = { refresh_token: this.cookies['REFRESH_TOKEN'] };
    return this.#post('/api/update-token', { url: 'auth-service/refresh-token', data });
  }

  signOut(): Promise<ClientResponse> {
    return this.#post('/api/sign-out');
  }

  async #post<T>(path: string, json?: unknown): Promise<ClientResponse<T>> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'Sec-Fetch-Site': 'same-origin', ...(cookie !== '' && { cookie }) };
    const answer = await this.#service.post<T>(path, json, headers);
    for (const [name, [value = '', ...attributes]] of cookiesOf(answer)) {
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }
}
