// The environment variables for the name and the witnesses of the audit log. Each is documented here, once.
import { z } from 'zod';
import { COSIGNATURE_V1, verifierOf } from '../transparency/note.js';
import { originOn } from '../transparency/origin.js';
import type { Witness } from '../transparency/witnesses.js';
import { isPostable } from './delivery.js';
import { PUBLIC_URL } from './web.js';

const EXAMPLE = 'witness.example.org+57720e4f+BAIbSygnn52a8OzDuJQcV/N8/VOJMBrrGURrUEPHwEjw https://witness.example.org';
const WITNESS_ADVICE =
  'each witness must be a verifier key (tlog-cosignature, type 4), a space, and an https URL, or an http URL on this machine';
const ADVICE = `${WITNESS_ADVICE}; separate witnesses with commas, for example ${EXAMPLE}`;

const witnessOf = (text: string): Witness | undefined => {
  const [key = '', url = '', ...more] = text.trim().split(/\s+/);
  const verifier = verifierOf(key, COSIGNATURE_V1);
  const isRight = more.length === 0 && /^https?:\/\//.test(url) && URL.canParse(url) && isPostable(new URL(url));
  return verifier === undefined || !isRight ? undefined : { verifier, url };
};

const areDistinct = (witnesses: readonly Witness[]): boolean =>
  new Set(witnesses.map(({ verifier }) => verifier.id.toString('hex'))).size === witnesses.length;

const NAME_ADVICE = 'must be a name without spaces, slashes and +, for example protocols.example.org';

const hostOf = (url: string | undefined): string => (url === undefined ? 'localhost' : new URL(url).host);

export const transparency = z
  .object({
    /**
     * The name of the audit log in every checkpoint, fixed by the first signing. Default: the host of PUBLIC_URL, or
     * localhost.
     */
    LOG_ORIGIN: z
      .string()
      .max(200, NAME_ADVICE)
      .regex(/^[^\s+/\p{C}]+$/u, NAME_ADVICE)
      .optional(),
    PUBLIC_URL,
    /** The witnesses that cosign checkpoints: the verifier key and the URL of each, separated by commas. */
    WITNESSES: z
      .string()
      .transform((text) => text.split(',').map(witnessOf))
      .refine((witnesses) => !witnesses.includes(undefined), ADVICE)
      .transform((witnesses) => witnesses.filter((witness) => witness !== undefined))
      .refine(areDistinct, `a witness is listed twice: ${ADVICE}`)
      .default([]),
  })
  .transform((environment) => ({
    logOrigin: originOn(environment.LOG_ORIGIN ?? hostOf(environment.PUBLIC_URL)),
    witnesses: environment.WITNESSES,
  }));
