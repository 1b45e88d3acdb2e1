// The format of evidence. verifier/README.md describes it completely.
import { z } from 'zod';

export const EVIDENCE_FORMAT = 'clinical-protocols-evidence/1';
export const UNPROVEN = 'That no later event of the user is in the log: a tree proves what is in it, not what is not.';

const Disclosure = z
  .object({ salt: z.string(), pointer: z.string(), value: z.unknown() })
  .meta({ id: 'Disclosure' })
  .describe('A personal value that can be verified with a digest in the payload (RFC 9901).');

const ProvenEvent = z
  .object({
    index: z.int().min(0).describe('The index of the event in the log.'),
    leaf: z.record(z.string(), z.unknown()).describe('The leaf, which is hashed as canonical JSON (RFC 8785).'),
    proof: z.array(z.string()).describe('The hashes of the inclusion proof (RFC 9162) in base64.'),
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The stored payload. Null if the event does not concern the profile.'),
    disclosures: z.array(Disclosure),
  })
  .meta({ id: 'ProvenEvent' });
export type ProvenEvent = z.output<typeof ProvenEvent>;

export const ProfileEvidence = z
  .object({
    format: z.literal(EVIDENCE_FORMAT),
    subject: z
      .object({ userId: z.uuid(), profileId: z.uuid(), asOf: z.iso.datetime().nullable() })
      .meta({ id: 'EvidenceSubject' }),
    checkpoint: z.string().describe('The signed note (C2SP tlog-checkpoint) to which all proofs refer.'),
    events: z.array(ProvenEvent).describe('All events of the user from revision 0 on, up to `asOf` if given.'),
    next: ProvenEvent.nullable().describe('The first event after `asOf`.'),
    names: z.array(ProvenEvent).describe('The events that contain the names of the users who decided.'),
    unproven: z
      .literal(UNPROVEN)
      .nullable()
      .describe('The part that the file cannot prove. Null if `next` is present.'),
  })
  .meta({ id: 'ProfileEvidence' });
export type ProfileEvidence = z.output<typeof ProfileEvidence>;
