// A browser that runs the web client: it stores the cookies of responses, and its own pages send them back.
import type { Client, ClientResponse } from '../support/client.js';
import { cookiesOf, type SignIn, type TokenPair } from './signing-in.js';

/** Starts without cookies. */
export class Browser {
  readonly #service: Client;
  readonly #cookies = new Map<string, string>();

  constructor(service: Client) {
    this.#service = service;
  }

  get cookies(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#cookies);
  }

  /** Stores the tokens of a sign-in: variant A of endpoint 22. */
  store({
    user,
    token,
    refreshToken,
  }: Pick<SignIn, 'user' | 'token' | 'refreshToken'>): Promise<ClientResponse<TokenPair>> {
    return this.#post('/api/update-token', { data: { user_id: user.id, token, refresh_token: refreshToken } });
  }

  /** Renews the tokens with the stored refresh token: variant B of endpoint 22. */
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
    const response = await this.#service.post<T>(path, json, headers);
    for (const [name, [value = '', ...attributes]] of cookiesOf(response)) {
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
