// What every read model stores and indexes: each collection has a line in each of the tables below.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allDeciders } from '../../src/domain/all.js';
import type { Schemas } from '../../src/domain/decider.js';
import { allProjections } from '../../src/projections/all.js';
import { foldPage } from '../../src/projections/fold-page.js';
import { eventsOf } from '../domain/support/arbitraries.js';
import * as protocol from '../domain/support/protocol-samples.js';
import {
  approved,
  erased,
  INSTITUTION_ID,
  ITEM_ID,
  noPersonalFields,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  profileAdded,
  registered,
  revisedTo,
  SPECIALTY_ID,
} from '../domain/support/user-samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { instant, log } from './support/recorded.js';
import { folded } from './support/replay.js';

const id = AGGREGATE_ID;
const institution = { name: 'Clínica', document: null, email: null, phone: null, address: null };
const unity = { unityId: uuidOf(1), name: 'Área', address: null };
const specialty = { name: 'Óptica', description: null, enabled: false };
const changed = { profileId: PROFILE_ID, changed: ['name' as const], isReviewed: false };

const history = {
  institution: log(
    'institution',
    { type: 'InstitutionCreated', data: institution },
    { type: 'UnityAdded', data: unity },
    { type: 'UnityRevised', data: { ...unity, name: 'Órgão' } },
  ),
  protocol: log(
    'protocol',
    protocol.created,
    protocol.formWith([protocol.question(1)], { scoreRanges: [protocol.range(1, 0, 9)] }),
    protocol.published,
    protocol.archived,
  ),
  specialty: log(
    'specialty',
    { type: 'SpecialtyCreated', data: { ...specialty, enabled: true } },
    { type: 'SpecialtyRevised', data: specialty },
  ),
  user: log(
    'user',
    registered,
    profileAdded(),
    profileAdded(OTHER_PROFILE_ID, 'NURSE'),
    { type: 'UserAttachedToInstitution', data: { institutionId: INSTITUTION_ID, name: 'Clinic' } },
    { type: 'UserAttachedToUnity', data: { institutionId: INSTITUTION_ID, unityId: uuidOf(1), name: 'Ward' } },
    approved,
    { type: 'UserProfileChangedSinceApproval', data: changed },
    revisedTo({}),
    { type: 'UserProfileErased', data: { profileId: PROFILE_ID } },
    { type: 'UserProfileErased', data: { profileId: OTHER_PROFILE_ID } },
    erased,
  ).map((event, index) => (index === 7 ? { ...event, flaw: { kind: 'unreadable' as const } } : event)),
};

const dates = (created: number, updated = created) => ({ createdAt: instant(created), updatedAt: instant(updated) });
const heldUnity = { id: unity.unityId, institutionId: id, name: 'Órgão', address: null, ...dates(2, 3) };
const form = {
  id: protocol.FORM_ID,
  protocolId: id,
  version: 1,
  copiedFrom: null,
  status: 'PUBLISHED',
  ...dates(2, 3),
};
const undecided = { approvalStatus: 'ANALYSING', changedSinceApproval: false };
const noCredentials = { documentDoctor: null, documentDoctorState: null, documentDoctorUpdatedAt: null };
const itemOf = (userProfileId: string, n: number) => [
  { id: ITEM_ID, specialtyId: SPECIALTY_ID, userProfileId, enabled: true, ...dates(n) },
];
const doctor = { userId: id, type: 'DOCTOR_GENERALIST', approvalStatus: 'APPROVED', changedSinceApproval: true };
const nurse = { userId: id, type: 'NURSE', approvalStatus: 'ANALYSING', changedSinceApproval: false };
const doctorErased = { id: PROFILE_ID, ...doctor, ...noCredentials, enabled: false, ...dates(2, 9) };
const nurseErased = { id: OTHER_PROFILE_ID, ...nurse, ...noCredentials, enabled: false, ...dates(3, 10) };
const isErased = true;

type Row = readonly [id: string, document: object, indexes: object];

/** Returns the values of the indexes on the standing of a profile. An erased profile has others in `erasure`. */
const standingIndex = (profile: typeof doctor, erasure: object = {}) => ({
  'equal approvalStatus': profile.approvalStatus,
  'equal type': profile.type,
  'equal changedSinceApproval': String(profile.changedSinceApproval),
  ...erasure,
});
const standing = (profileId: string, profile: typeof doctor, period: readonly string[], erasure?: object): Row => {
  const [since = '', until = '~'] = period;
  const document = { profileId, ...profile, since, until, ...(erasure && { isErased }) };
  return [
    `${profileId}/${since}`,
    document,
    { 'ordered since': since, 'ordered until': until, ...standingIndex(profile, erasure) },
  ];
};
const notAnalysing = { 'equal approvalStatus': 'ERASED' };
const notChanged = { 'equal changedSinceApproval': 'ERASED' };

/** The documents of each collection, each with the values of its indexes. The order is that of the definitions. */
const stored: Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>> = {
  institutions: {
    attachmentNames: [
      [id, { id, name: institution.name }, {}],
      [unity.unityId, { id: unity.unityId, name: 'Órgão' }, {}],
    ],
    unities: [[`${id}/${unity.unityId}`, heldUnity, { 'equal institutionId': id, 'prefix name': 'orgao' }]],
    institutions: [[id, { id, ...institution, ...dates(1, 3), unities: [heldUnity] }, { 'prefix name': 'clinica' }]],
  },
  protocols: {
    protocolNames: [[id, { id, institutionId: protocol.INSTITUTION_ID, name: 'Chest pain', archived: true }, {}]],
    formVersions: [[protocol.FORM_ID, form, { 'equal protocolId': id, 'equal status': 'PUBLISHED' }]],
    forms: [
      [
        `${id}/${protocol.FORM_ID}`,
        { ...form, questions: [expect.anything()], scoreRanges: [expect.anything()] },
        { 'equal version': '1', 'equal status': 'PUBLISHED', 'equal protocolId': id },
      ],
    ],
    protocols: [
      [
        id,
        { id, ...protocol.created.data, archived: true, ...dates(1, 4) },
        {
          'prefix name': 'chest pain',
          'equal institutionId': `${protocol.INSTITUTION_ID}/archived`,
          'equal archived': 'true',
        },
      ],
    ],
  },
  specialties: {
    specialties: [[id, { id, ...specialty, ...dates(1, 2) }, { 'prefix name': 'optica', 'equal enabled': 'false' }]],
  },
  users: {
    userNames: [[id, { id, firstName: null, lastName: null, institutionIds: [INSTITUTION_ID] }, {}]],
    profileDecisions: [
      [
        uuidOf(0xe00_006),
        {
          ...{ at: instant(6), type: 'UserProfileApproved', decidedBy: 'anonymous', userId: id, profileId: PROFILE_ID },
          ...{ profileType: doctor.type, before: 'ANALYSING', after: 'APPROVED', revision: 5, position: at(6) },
        },
        {
          ...{ 'ordered at': instant(6), 'equal decidedBy': 'anonymous', 'equal profileType': doctor.type },
          'equal approvalStatus': 'APPROVED',
        },
      ],
    ],
    profileStandings: [
      standing(PROFILE_ID, { ...doctor, ...undecided }, [instant(2), instant(6)]),
      standing(OTHER_PROFILE_ID, nurse, [instant(3), instant(10)]),
      standing(PROFILE_ID, { ...doctor, changedSinceApproval: false }, [instant(6), instant(7)]),
      standing(PROFILE_ID, doctor, [instant(7), instant(9)]),
      standing(PROFILE_ID, doctor, [instant(9)], notChanged),
      standing(OTHER_PROFILE_ID, nurse, [instant(10)], notAnalysing),
    ],
    profiles: [
      [
        PROFILE_ID,
        { ...doctorErased, specialties: itemOf(PROFILE_ID, 2), isErased },
        standingIndex(doctor, notChanged),
      ],
      [
        OTHER_PROFILE_ID,
        { ...nurseErased, specialties: itemOf(OTHER_PROFILE_ID, 3), isErased },
        standingIndex(nurse, notAnalysing),
      ],
    ],
    unreadableUsers: [[id, { userId: id, state: 'erased' }, { 'equal state': 'erased' }]],
    users: [
      [
        id,
        {
          ...{ id, ...noPersonalFields, enabled: false, ...dates(1, 11), auth: [], ratings: [] },
          ...{ institutions: [{ id: INSTITUTION_ID, name: 'Clinic' }], unities: [{ id: unity.unityId, name: 'Ward' }] },
          profiles: [
            { ...doctorErased, specialties: itemOf(PROFILE_ID, 2) },
            { ...nurseErased, specialties: itemOf(OTHER_PROFILE_ID, 3) },
          ],
        },
        {
          ...{ 'prefix name': '', 'contains email': [''] },
          ...{ 'contains institutionId': [INSTITUTION_ID], 'contains unityId': [unity.unityId] },
        },
      ],
    ],
  },
};

/** The events that begin a document of each collection, also if nothing came before them. */
const beginnings: Readonly<Record<string, readonly string[]>> = {
  profileDecisions: [],
  attachmentNames: ['InstitutionCreated', 'InstitutionRevised', 'UnityAdded', 'UnityRevised'],
  unities: ['UnityAdded'],
  institutions: ['InstitutionCreated'],
  protocolNames: ['ProtocolCreated'],
  forms: ['ProtocolFormVersionCreated'],
  formVersions: ['ProtocolFormVersionCreated'],
  protocols: ['ProtocolCreated'],
  specialties: ['SpecialtyCreated'],
  profiles: ['UserProfileAdded'],
  profileStandings: ['UserProfileAdded'],
  unreadableUsers: [],
  users: ['UserRegistered'],
  userNames: ['UserRegistered'],
};

it('every collection has a line in both tables', () => {
  const names = allProjections.flatMap(({ collections }) => collections.map(({ name }) => name)).toSorted();
  expect(
    Object.values(stored)
      .flatMap((collections) => Object.keys(collections))
      .toSorted(),
  ).toEqual(names);
  expect(Object.keys(beginnings).toSorted()).toEqual(names);
});

describe.each(allProjections)('the read model $name', (projection) => {
  const { name, aggregates, collections } = projection;
  const of = (aggregate: string) => aggregates.includes(aggregate);

  it('stores these documents with these indexes, in this order', async () => {
    const events = Object.entries(history).flatMap(([aggregate, recorded]) => (of(aggregate) ? recorded : []));
    const page = { events, position: at(99), atEnd: true };
    const { writes } = await foldPage({ load: async () => [] }, { projection: name, number: 1 }, projection, page);
    const found = collections.map((collection) => [
      collection.name,
      writes
        .filter((write) => write.collection === collection.name)
        .map(({ id, body, index }) => {
          const indexed = collection.indexes.map(({ kind, field }) => [`${kind} ${field}`, index[field]]);
          return [id, JSON.parse(body), indexed];
        }),
    ]);
    const expected = Object.entries(stored[name] ?? {}).map(([collection, rows]) => [
      collection,
      rows.map(([id, document, indexes]) => [id, document, Object.entries(indexes)]),
    ]);
    expect(found).toEqual(expected);
  });

  it('begins a document only with these events', () => {
    const deciders = allDeciders.filter(({ aggregate }) => of(aggregate));
    fc.assert(
      fc.property(
        fc.oneof(...deciders.map((decider) => eventsOf<unknown, Schemas, Schemas>(decider as never))),
        (event) => {
          const begun = deciders.flatMap(({ aggregate }) => [...folded(projection, log(aggregate, event))]);
          const expected = collections.filter((collection) => beginnings[collection.name]?.includes(event.type));
          const names = begun.filter(([, documents]) => documents.size > 0).map(([collection]) => collection);
          expect(new Set(names)).toEqual(new Set(expected.map((collection) => collection.name)));
        },
      ),
      { numRuns: 300 },
    );
  });
});
