// Witness servers for tests, which respond as a test says.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { COSIGNATURE_V1, noteLineOf, type Verifier, verifierKey, verifierOf } from '../../../src/transparency/note.js';
import type { Witness } from '../../../src/transparency/witnesses.js';

/** A parsed request to a witness. */
export interface WitnessRequest {
  readonly path: string;
  readonly old: number;
  readonly proof: readonly string[];
  readonly checkpoint: string;
}

/** The keys of a witness. */
export interface WitnessKeys {
  readonly key: string;
  readonly verifier: Verifier;
  /** Returns the line of a cosignature on the checkpoint of a note. */
  readonly cosign: (note: string, time?: bigint) => string;
}

/** Creates the keys of a witness. */
export const newWitnessKeys = (name: string): WitnessKeys => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = verifierKey(name, publicKey, COSIGNATURE_V1);
  const verifier = verifierOf(key, COSIGNATURE_V1);
  if (verifier === undefined) throw new Error(`${key} is not the key of a witness`);
  return { key, verifier, cosign: (note, time = 1_700_000_000n) => cosigned(note, { verifier, privateKey, time }) };
};

interface Cosigning {
  readonly verifier: Verifier;
  readonly privateKey: KeyObject;
  readonly time: bigint;
}

const cosigned = (note: string, { verifier, privateKey, time }: Cosigning): string => {
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(time);
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey);
  return noteLineOf({ name: verifier.name, id: verifier.id, signature: Buffer.concat([stamp, signature]) });
};

/** Responds to a request. */
export type Responding = (response: ServerResponse, request: WitnessRequest) => void;

/** A witness that runs until the end of the test. */
export interface WitnessServer extends Witness, WitnessKeys {
  readonly requests: readonly WitnessRequest[];
  /** Sets the response to later requests. */
  respond(next: Responding): void;
}

/** Starts a witness that cosigns every checkpoint. */
export const startWitness = async (name = 'witness.example.org'): Promise<WitnessServer> => {
  const keys = newWitnessKeys(name);
  const requests: WitnessRequest[] = [];
  let respond: Responding = (response, { checkpoint }) => response.end(`${keys.cosign(checkpoint)}\n`);
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const end = body.indexOf('\n\n');
    const [old = '', ...proof] = body.slice(0, end).split('\n');
    requests.push({
      path: `${request.method} ${request.url}`,
      old: Number(/^old (\d+)$/.exec(old)?.[1]),
      proof,
      checkpoint: body.slice(end + 2),
    });
    respond(response, requests.at(-1) as WitnessRequest);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...keys,
    url: `http://127.0.0.1:${port}/log`,
    requests,
    respond: (next) => {
      respond = next;
    },
  };
};
