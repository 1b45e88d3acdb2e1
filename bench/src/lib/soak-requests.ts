// The mix of a soak: writes and reads of protocols that the soak created itself.
import { type RawAnswer, requestText } from './connections.js';
import { anInstitution, post, protocolBody, questionnaireBody } from './samples.js';

// Enough for reads to meet old and new protocols, and few enough for the ids to take no memory worth counting.
const KEPT = 10_000;
const FIRST = 100;

interface Made {
  readonly protocolId: string;
  readonly formId: string;
}

/** Creates requests in turn: of ten, five reads of single resources, one list, four writes. */
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

  /** Adds a created protocol to those that later requests read. */
  readonly learn = ({ status, text }: RawAnswer): void => {
    if (status !== 201 || !text.includes('"form":')) return;
    this.#made.push(madeBy(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Answered));
    if (this.#made.length > KEPT) this.#made.shift();
  };
}

interface Answered {
  readonly protocol: { readonly id: string };
  readonly form: { readonly id: string };
}

const madeBy = ({ protocol, form }: Answered): Made => ({ protocolId: protocol.id, formId: form.id });
