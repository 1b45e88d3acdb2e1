// Records the history of a doctor in sealed facts under a signed tree, for evidence of it.
import { randomUUID } from 'node:crypto';
import type { Evidence, EvidenceSources } from '../../../src/audit/evidence.js';
import { Walks } from '../../../src/commands/walks.js';
import { allPersonalPaths } from '../../../src/domain/all.js';
import type { NewEvent } from '../../../src/infrastructure/facts/facts.js';
import { SealedFacts } from '../../../src/infrastructure/persons/sealed-facts.js';
import { LogGrower } from '../../../src/transparency/grower.js';
import { keysOf } from '../../../src/transparency/keys.js';
import { TransparencyLog } from '../../../src/transparency/log.js';
import { LogRecords } from '../../../src/transparency/records.js';
import { someone } from '../../commands/support/walker.js';
import { metadata, written } from '../../infrastructure/facts/support/harness.js';
import { ana, openSealed } from '../../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../../support/directory.js';
import { textOf } from '../../verifier/support/sample-evidence.js';
import { type Verdict, verdictOf, verifier } from '../../verifier/support/verifier.js';

const ORIGIN = 'localhost/audit/log';

/** Opens the stores of a directory and the sources of evidence. The end of the test closes them. */
export const openEvidence = (directory = temporaryDirectory()) => {
  const sealed = openSealed(directory);
  const { stored, vault, keyring } = sealed;
  const facts = new SealedFacts(stored, { ...sealed, personal: allPersonalPaths });
  const serviceKey = (name: string) => keyring.serviceKey(name);
  const grower = new LogGrower({ sealedFacts: stored, vault, serviceKey }, new LogRecords(vault), ORIGIN);
  const sources: EvidenceSources = {
    sealedFacts: stored,
    past: { sealedFacts: new Walks().of(stored, someone()) },
    personKeys: (persons) => keyring.ofPersons(persons),
    transparencyLog: new TransparencyLog({ sealedFacts: stored, vault }),
    timeoutMs: 0,
  };
  const keys = async () => (await keysOf(vault, ORIGIN)).map(({ verifierKey }) => verifierKey);
  return {
    ...sealed,
    facts,
    /** Returns the verifier keys of the log. */
    keys,
    directory,
    sources,
    /** Signs a checkpoint of all events. */
    grow: async () => {
      while (!(await grower.step()));
    },
    /** Returns the verdict of the verifier on evidence. */
    verdict: async (evidence: unknown): Promise<Verdict> =>
      verdictOf(verifier.verifyEvidence(textOf(evidence), { keys: await keys() })),
  };
};

let clock = Date.parse('2026-03-04T05:06:07.000Z');

const event = (type: string, data: object, actor: string): NewEvent => {
  clock += 1_000;
  const roles = actor === 'operator' ? [] : ['ADMINISTRATOR'];
  return {
    id: randomUUID(),
    type,
    data,
    metadata: { ...metadata, at: new Date(clock).toISOString(), actor: { id: actor, roles } },
  };
};

export const person = { ...ana, enabled: true, externalAuthId: randomUUID(), acceptedTerms: true };
const credentials = { documentDoctorState: 'SP', documentDoctorUpdatedAt: '2026-01-02', specialties: [] };

type Appended = readonly [data: object, actor?: string | undefined, count?: number | undefined];

/** Returns the text of evidence. */
export const textOfEvidence = async ({ texts }: Evidence): Promise<string> => {
  let text = '';
  for await (const part of texts) text += part;
  return text;
};

/**
 * Records a doctor with the decisions of an administrator. `append` appends further equal events of the doctor and
 * returns the last revision.
 */
export const recordDoctor = async ({ facts }: ReturnType<typeof openEvidence>) => {
  const [userId, profileId, other, adminId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const revisions = new Map<string, number>();
  const append = async (user: string, type: string, ...[data, actor = 'operator', count = 1]: Appended) => {
    const revision = revisions.get(user);
    const events = Array.from({ length: count }, () => event(type, data, actor));
    const appended = written(await facts.append(`user-${user}`, revision ?? 'no-stream', events)).revision;
    revisions.set(user, appended);
    return appended;
  };
  const doctor = (type: string, ...appended: Appended) => append(userId, type, ...appended);
  await append(adminId, 'UserRegistered', { ...person, firstName: 'Rita', lastName: 'Alves' });
  await doctor('UserRegistered', person, adminId);
  await doctor('UserProfileAdded', { profileId, type: 'NURSE', documentDoctor: 'COREN 1', ...credentials }, adminId);
  await doctor('UserProfileAdded', { profileId: other, type: 'NURSE', documentDoctor: 'COREN 9', ...credentials });
  await doctor('UserProfileRejected', { profileId, reason: 'It has lapsed.' }, adminId);
  await doctor('UserAttachedToInstitution', { institutionId: randomUUID(), name: 'Hospital das Flores' });
  await doctor('UserProfileRejected', { profileId: other, reason: 'Of no concern here.' }, adminId);
  await append(adminId, 'UserRevised', {
    ...person,
    firstName: 'Rita',
    lastName: 'Alves Prado',
    signInEmail: ana.email,
  });
  await doctor('UserProfileResubmitted', { profileId, documentDoctor: 'COREN 2', ...credentials }, userId);
  await doctor('UserProfileApproved', { profileId, reason: 'Checked.' }, adminId);
  return { userId, profileId, adminId, append: doctor };
};
