// Writes logs of people with the domain's own decider, through the facts port, which seals personal fields.
import { fold, type Of } from '../../../dist/domain/decider.js';
import type { userEvents } from '../../../dist/domain/user/events.js';
import type { User } from '../../../dist/domain/user/state.js';
import { user } from '../../../dist/domain/user/user.js';
import type { Facts, NewEvent } from '../../../dist/infrastructure/facts/facts.js';
import type { AllStores } from '../../../dist/infrastructure/stores.js';
import { openStores } from '../../../dist/stores.js';
import { newId } from './ids.js';

/** A person with one profile. */
export interface Somebody {
  readonly id: string;
  readonly profileId: string;
}

const AT_ONCE = 50;
const BY = { actor: { id: 'anonymous', roles: [] }, correlationId: '0'.repeat(32), schemaVersion: 1 };
const REASON = 'The registration was looked up at the council and is about as long as reasons are.';

const fail = (): never => {
  throw new Error('the personal fields of a new log cannot be decrypted');
};

/** Opens the embedded stores of a directory. */
export const openEmbedded = (directory: string): Promise<AllStores> => {
  const engines = {
    eventStoreUrl: undefined,
    mongoDbUrl: undefined,
    redisUrl: undefined,
    masterKeys: undefined,
    erasureList: undefined,
  };
  const sealing = { withoutKey: fail, tampered: fail, damaged: fail };
  return openStores({ dataDirectory: directory, ...engines }, { onError: console.error, sealing });
};

/**
 * Writes `count` users into the facts and returns them. Each user has one profile with the given number of decisions.
 */
export const writePeople = async (facts: Facts, count: number, decisions: number): Promise<readonly Somebody[]> => {
  const people: Somebody[] = [];
  const writers = Array.from({ length: AT_ONCE }, async (_, writer) => {
    for (let n = writer; n < count; n += AT_ONCE) people.push(await writeOne(facts, n, decisions));
  });
  await Promise.all(writers);
  return people;
};

const writeOne = async (facts: Facts, n: number, decisions: number): Promise<Somebody> => {
  const id = newId();
  const events: Of<typeof userEvents>[] = [];
  let state: User = user.initialState;
  const given = { now: new Date().toISOString(), newId, actor: { id: 'anonymous', roles: [] } };
  const record = (decided: readonly Of<typeof userEvents>[]) => {
    for (const event of decided) state = fold(user, state, event, { id, at: given.now });
    events.push(...decided);
  };
  record(user.decide.RegisterUser(state, personOf(n), given));
  const profileId = state.status === 'active' ? (state.fields.profiles[0]?.id ?? '') : '';
  for (let turn = 0; turn < decisions; turn += 1) {
    const decision = turn % 2 === 0 ? user.decide.RejectProfile : user.decide.ApproveProfile;
    record(decision(state, { profileId, reason: REASON }, given));
  }
  const { outcome } = await facts.append(
    `user-${id}`,
    'no-stream',
    events.map((event) => recorded(event, given.now)),
  );
  if (outcome !== 'written') throw new Error('unexpected conflict: nobody else writes to this stream');
  return { id, profileId };
};

const recorded = (event: Of<typeof userEvents>, at: string): NewEvent => {
  const id = newId();
  return { id, ...event, metadata: { at, causationId: id, ...BY } };
};

const personOf = (n: number) => ({
  firstName: 'Maria Aparecida',
  lastName: `dos Santos ${n}`,
  gender: 'FEMININE' as const,
  document: String(n).padStart(14, 'D'),
  birthDate: '1980-02-29',
  dialingCode: '55',
  phone: '11 91234-5678',
  email: `maria.${n}@example.org`,
  enabled: true,
  acceptedTerms: true,
  profiles: [
    {
      type: 'DOCTOR_GENERALIST' as const,
      documentDoctor: 'CRM/SP 123456',
      documentDoctorState: 'SP',
      documentDoctorUpdatedAt: '2025-12-31',
      specialties: [],
    },
  ],
});
