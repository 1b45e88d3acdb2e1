// Creates the request mix of a soak: writes of protocols, and reads of protocols that the soak created.
import { type RawResponse, requestText } from './connections.js';
import { anInstitution, post, protocolBody, questionnaireBody } from './samples.js';

// With this many, reads cover old and new protocols, and the ids take little memory.
const KEPT = 10_000;
const FIRST = 100;

interface Made {
  readonly protocolId: string;
  readonly formId: string;
}

/** Creates requests in a cycle of ten: five reads of single resources, one list, and four writes. */
export class SoakRequests {
  readonly #institutionId: string;
  readonly #made: Made[];
  #turn = 0;

  private constructor(institutionId: string, made: Made[]) {
    this.#institutionId = institutionId;
    this.#made = made;
  }

  /** Creates the first protocols of a server. */
  static async on(url: string): Promise<SoakRequests> {
    const institutionId = await anInstitution(url);
    const made: Made[] = [];
    for (let n = 0; n < FIRST; n += 1) {
      made.push(madeBy(await post(`${url}/protocols/questionnaires`, questionnaireBody(institutionId))));
    }
    return new SoakRequests(institutionId, made);
  }

  /** Returns the next request. */
  readonly next = (): string => {
    this.#turn += 1;
    const { protocolId, formId } = this.#made[Math.floor(Math.random() * this.#made.length)] ?? {
      protocolId: '',
      formId: '',
    };
    const one = `/protocols/${protocolId}`;
    const mix: readonly (() => string)[] = [
      () => requestText('POST', '/protocols', protocolBody(this.#institutionId)),
      () => requestText('GET', one),
      () => requestText('PUT', one, { name: `Name ${this.#turn}` }),
      () => requestText('GET', `${one}/forms/${formId}`),
      () => requestText('GET', `/protocols?institutionId=${this.#institutionId}&limit=50`),
      () => requestText('POST', '/protocols', protocolBody(this.#institutionId)),
      () => requestText('GET', one),
      () => requestText('POST', '/protocols/questionnaires', questionnaireBody(this.#institutionId)),
      () => requestText('GET', `${one}/forms/${formId}`),
      () => requestText('GET', one),
    ];
    return mix[this.#turn % mix.length]?.() ?? '';
  };

  /** Adds the protocol that a response created to the protocols that later requests read. */
  readonly learn = ({ status, text }: RawResponse): void => {
    if (status !== 201 || !text.includes('"form":')) return;
    this.#made.push(madeBy(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Created));
    if (this.#made.length > KEPT) this.#made.shift();
  };
}

interface Created {
  readonly protocol: { readonly id: string };
  readonly form: { readonly id: string };
}

const madeBy = ({ protocol, form }: Created): Made => ({ protocolId: protocol.id, formId: form.id });
