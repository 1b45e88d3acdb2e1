// Evidence as OpenAPI shows it; verifier/README.md describes it in full.
import { z } from 'zod';
import { EVIDENCE_FORMAT, NO_DIGESTS, UNPROVEN } from '../../../audit/evidence.js';
import { id, instant } from '../../kernel/schemas.js';

const Disclosure = z
  .object({ salt: z.string(), pointer: z.string(), value: z.unknown() })
  .meta({ id: 'Disclosure' })
  .describe('A personal value that a digest in the payload confirms (RFC 9901).');

const ProvenEvent = z
  .object({
    index: z.int().min(0).describe('The place of the event in the log.'),
    leaf: z.record(z.string(), z.unknown()).describe('What is hashed, as canonical JSON (RFC 8785).'),
    proof: z.array(z.string()).describe('The hashes of the inclusion proof (RFC 9162) in base64.'),
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('As it is stored. Null: the event has nothing to do with the profile.'),
    disclosures: z
      .union([z.array(Disclosure), z.literal(NO_DIGESTS)])
      .describe('A text if the event was recorded before values could be disclosed one by one.'),
  })
  .meta({ id: 'ProvenEvent' });

export const ProfileEvidence = z
  .object({
    format: z.literal(EVIDENCE_FORMAT),
    subject: z.object({ userId: id, profileId: id, asOf: instant.nullable() }),
    checkpoint: z.string().describe('The signed note (C2SP tlog-checkpoint) that all proofs lead to.'),
    events: z.array(ProvenEvent).describe('All events of the user from revision 0 on, up to `asOf` if it was given.'),
    next: ProvenEvent.nullable().describe('The first event after `asOf`.'),
    names: z.array(ProvenEvent).describe('The events that gave those who decided their names.'),
    unproven: z.literal(UNPROVEN).nullable().describe('What the file cannot prove. Null if `next` is there.'),
  })
  .meta({ id: 'ProfileEvidence' });
