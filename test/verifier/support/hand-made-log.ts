// A transparency log that follows the text of the specifications. Shares no code with the service or the verifier.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { pathTo, rootOf, sha256 } from '../../support/rfc6962.js';

/** Returns the JSON of a value with sorted members (RFC 8785, as far as the tests need it). */
export const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** A signer of notes. `type` is 1 for a log and 4 for a witness. */
export class Signer {
  readonly name: string;
  readonly #type: 1 | 4;
  readonly #privateKey: KeyObject;
  readonly #raw: Buffer;

  constructor(name: string, type: 1 | 4 = 1) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.name = name;
    this.#type = type;
    this.#privateKey = privateKey;
    this.#raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  }

  /** Returns the verifier key. With `type` 1, returns the key of a witness as a plain key. */
  verifierKey(type: 1 | 4 = this.#type): string {
    const encoded = Buffer.concat([Buffer.of(type), this.#raw]);
    return `${this.name}+${this.#id(type).toString('hex')}+${encoded.toString('base64')}`;
  }

  /** Returns the signature line for the text of a note. The line of a witness includes the time. */
  line(body: string, seconds = 1_764_000_000): string {
    const time = Buffer.alloc(this.#type === 4 ? 8 : 0);
    if (this.#type === 4) time.writeBigUInt64BE(BigInt(seconds));
    const signed = this.#type === 4 ? `cosignature/v1\ntime ${seconds}\n${body}` : body;
    const signature = sign(null, Buffer.from(signed), this.#privateKey);
    return `— ${this.name} ${Buffer.concat([this.#id(this.#type), time, signature]).toString('base64')}\n`;
  }

  #id(type: number): Buffer {
    return sha256(`${this.name}\n`, Buffer.of(type), this.#raw).subarray(0, 4);
  }
}

/** An event to append. `personal` maps JSON pointers to the values whose digests the payload has. */
export interface Made {
  readonly stream: string;
  readonly type: string;
  readonly data?: object;
  readonly personal?: Readonly<Record<string, unknown>>;
  readonly actor?: string;
  readonly at?: string;
  /** Metadata that the service does not record. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Entry {
  readonly index: number;
  readonly leaf: Readonly<Record<string, unknown>>;
  readonly proof: readonly string[];
  readonly payload: object | null;
  readonly disclosures: unknown;
}

interface Appended {
  readonly leaf: Readonly<Record<string, unknown>> & { readonly stream: string; readonly revision: number };
  readonly payload: object;
  readonly disclosures: unknown;
}

const ofValue = ([pointer, value]: readonly [string, unknown]) => {
  const salt = randomBytes(16).toString('base64url');
  const text = Buffer.from(JSON.stringify([salt, pointer, value])).toString('base64url');
  return { disclosure: { salt, pointer, value }, digest: sha256(text).toString('base64url') };
};

/** A log in memory. */
export class HandMadeLog {
  readonly signer: Signer;
  readonly #events: Appended[] = [];

  constructor(origin = 'log.example.org/audit/log') {
    this.signer = new Signer(origin);
  }

  /** The leaf hashes. */
  get leaves(): readonly Buffer[] {
    return this.#events.map(({ leaf }) => sha256(Buffer.of(0), inOrder(leaf)));
  }

  append({ stream, type, data = {}, personal = {}, ...made }: Made): void {
    const revision = this.#events.filter(({ leaf }) => leaf.stream === stream).length;
    const salted = Object.entries(personal).map(ofValue);
    const digests = Object.fromEntries(salted.map(({ disclosure, digest }) => [disclosure.pointer, digest]));
    const sealed = salted.length === 0 ? {} : { sealed: randomBytes(30).toString('base64url') };
    const payload = { ...data, ...(salted.length > 0 && { digests }), ...sealed };
    const { actor = 'operator', at = new Date(1_764_000_000_000 + this.#events.length).toISOString() } = made;
    const roles = actor === 'operator' ? [] : ['ADMINISTRATOR'];
    const metadata = {
      at,
      actor: { id: actor, roles },
      correlationId: 'c',
      causationId: 'r',
      schemaVersion: 1,
      ...made.metadata,
    };
    const payloadSha256 = sha256(inOrder(payload)).toString('hex');
    const leaf = { v: 1, stream, revision, id: `event-${this.#events.length}`, type, metadata, payloadSha256 };
    this.#events.push({ leaf, payload, disclosures: salted.map(({ disclosure }) => disclosure) });
  }

  /** Returns a checkpoint of the first `size` events. */
  checkpoint(size = this.#events.length, cosigners: readonly Signer[] = []): string {
    const root = rootOf(this.leaves.slice(0, size)).toString('base64');
    const body = `${this.signer.name}\n${size}\n${root}\n`;
    return `${body}\n${[this.signer, ...cosigners].map((signer) => signer.line(body)).join('')}`;
  }

  /** Returns the entries of a stream for evidence. The entry of an event that `isBare` accepts has no payload. */
  entries(stream: string, isBare: (type: unknown) => boolean = () => false): readonly Entry[] {
    const leaves = this.leaves;
    return this.#events.flatMap(({ leaf, payload, disclosures }, index): readonly Entry[] => {
      if (leaf.stream !== stream) return [];
      const proof = pathTo(index, leaves).map((hash) => hash.toString('base64'));
      return [
        isBare(leaf['type'])
          ? { index, leaf, proof, payload: null, disclosures: [] }
          : { index, leaf, proof, payload, disclosures },
      ];
    });
  }

  /** Returns the lines of a bundle. */
  lines(): readonly string[] {
    return this.#events.map(({ leaf, payload }, index) => {
      const { stream, revision, id, type, metadata } = leaf;
      const { at, actor, correlationId, causationId, schemaVersion, ...others } = metadata as Readonly<
        Record<string, unknown>
      >;
      const rest = { correlationId, causationId, schemaVersion };
      const metadataOfOthers = Object.keys(others).length === 0 ? {} : { metadata: others };
      const head = {
        position: `${index}`.padStart(16, '0'),
        stream,
        category: stream.split('-')[0],
        revision,
        id,
        type,
      };
      return JSON.stringify({ ...head, at, actor, origin: null, ...rest, data: payload, ...metadataOfOthers });
    });
  }
}
