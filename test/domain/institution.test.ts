import { describe, expect, it } from 'vitest';
import { type Institution, InstitutionFields, institution, unityLimit, unityOf } from '../../src/domain/institution.js';
import { AGGREGATE_ID, EARLIER, NOW, specification, uuidOf } from '../support/specification.js';
import { UNKNOWN_ID, upTo } from './support/protocol-samples.js';

const { given, sending } = specification(institution);

const content = {
  name: 'Santa Casa',
  document: '12.345.678/0001-95',
  email: 'contact@example.org',
  phone: '+55 11 5555-0000',
  address: 'Main street 1',
};
const bare = { name: 'Santa Casa', document: null, email: null, phone: null, address: null };
const dates = { createdAt: NOW, updatedAt: NOW };
const UNITY_ID = uuidOf(0xd01);
const created = { type: 'InstitutionCreated', data: content } as const;
const unity = { type: 'UnityAdded', data: { unityId: UNITY_ID, name: 'North', address: 'North street 2' } } as const;
const otherUnity = { type: 'UnityAdded', data: { unityId: uuidOf(0xd02), name: 'South', address: null } } as const;
const fieldsIn = (state: Institution) => (state.status === 'unknown' ? undefined : state.fields);

describe('an institution, when it is created', () => {
  it('has the content that was sent', () => given().when({ type: 'CreateInstitution', data: content }).then(created));
  it('requires only a name', () => {
    given()
      .when({ type: 'CreateInstitution', data: { name: 'Santa Casa' } })
      .then({ type: 'InstitutionCreated', data: bare });
    sending('CreateInstitution', {}).isRefusedFor('/name invalid_type');
  });
  it('has the unities that were sent with it, in the same order', () =>
    given()
      .when({
        type: 'CreateInstitution',
        data: { name: 'Santa Casa', unities: [{ name: 'North', address: 'x' }, { name: 'South' }] },
      })
      .then(
        { type: 'InstitutionCreated', data: bare },
        { type: 'UnityAdded', data: { unityId: uuidOf(1), name: 'North', address: 'x' } },
        { type: 'UnityAdded', data: { unityId: uuidOf(2), name: 'South', address: null } },
      ));
  it('has the id of its stream and is dated now, and so are its unities', () =>
    given()
      .when({ type: 'CreateInstitution', data: { ...content, unities: [{ name: 'North' }] } })
      .thenState((state) =>
        expect(state).toStrictEqual({
          status: 'active',
          fields: {
            id: AGGREGATE_ID,
            ...content,
            ...dates,
            unities: [{ id: uuidOf(1), institutionId: AGGREGATE_ID, name: 'North', address: null, ...dates }],
          },
        }),
      ));
  it('reports all invalid fields at once', () =>
    sending('CreateInstitution', {
      name: '\u200b',
      document: '1'.repeat(101),
      email: `${'n'.repeat(309)}@example.org`,
      phone: '5'.repeat(51),
      address: false,
      unities: [{ name: ' ', address: 1 }, {}, null],
    }).isRefusedFor(
      '/name control-character',
      '/document too_big',
      '/email too_big',
      '/phone too_big',
      '/address invalid_type',
      '/unities/0/name blank',
      '/unities/0/address invalid_type',
      '/unities/1/name invalid_type',
      '/unities/2 invalid_type',
    ));
  it('requires a valid e-mail address', () =>
    sending('CreateInstitution', { name: 'n', email: 'nobody' }).isRefusedFor('/email invalid_format'));
  it('may be created with at most 500 unities', () => {
    const unities = (count: number) => upTo(count).map((n) => ({ name: `Unity ${n}` }));
    sending('CreateInstitution', { name: 'n', unities: unities(500) }).isAccepted();
    sending('CreateInstitution', { name: 'n', unities: unities(501) }).isRefusedFor('/unities too_big');
  });
});

describe('an institution, when it is revised', () => {
  it.each([{ name: 'Santa Maria' }, { document: '1' }, { email: 'a@example.org' }, { phone: '1' }, { address: 'a' }])(
    'changes only the fields that are sent: %o',
    (changes) =>
      given(created)
        .when({ type: 'ReviseInstitution', data: changes })
        .then({ type: 'InstitutionRevised', data: { ...content, ...changes } }),
  );
  it('clears an optional field that is sent as null', () => {
    const { name: _, ...cleared } = bare;
    given(created).when({ type: 'ReviseInstitution', data: cleared }).then({ type: 'InstitutionRevised', data: bare });
    sending('ReviseInstitution', { name: null }).isRefusedFor('/name invalid_type');
  });
  it('records nothing if nothing changes', () => {
    given(created).when({ type: 'ReviseInstitution', data: {} }).then();
    given(created).when({ type: 'ReviseInstitution', data: content }).then();
  });
  it('keeps its unities and its createdAt', () =>
    given(created, unity)
      .when({ type: 'ReviseInstitution', data: { name: 'Santa Maria' } })
      .thenState((state) =>
        expect(fieldsIn(state)).toMatchObject({
          name: 'Santa Maria',
          createdAt: EARLIER,
          updatedAt: NOW,
          unities: [{ id: UNITY_ID, name: 'North', updatedAt: EARLIER }],
        }),
      ));
});

describe('a unity', () => {
  it('is added after the others, and may have the same name', () => {
    given(created, unity)
      .when({ type: 'AddUnity', data: { name: 'North' } })
      .then({ type: 'UnityAdded', data: { unityId: uuidOf(1), name: 'North', address: null } });
    given(created, unity)
      .when({ type: 'AddUnity', data: { name: 'North' } })
      .thenState((state) => expect(fieldsIn(state)?.unities).toMatchObject([{ id: UNITY_ID }, { id: uuidOf(1) }]));
  });
  it('is refused above the limit', () => {
    const unities = upTo(unityLimit).map(
      (n) => ({ type: 'UnityAdded', data: { unityId: uuidOf(0x1000 + n), name: 'U', address: null } }) as const,
    );
    given(created, ...unities)
      .when({ type: 'AddUnity', data: { name: 'East' } })
      .thenRefuses('too-many-unities', { limit: unityLimit });
    given(created, ...unities.slice(1))
      .when({ type: 'AddUnity', data: { name: 'East' } })
      .thenState((state) => expect(fieldsIn(state)?.unities).toHaveLength(unityLimit));
  });

  it.each([{ name: 'Northeast' }, { address: null }])(
    'changes only in the fields that a revision sends: %o',
    (changes) =>
      given(created, unity, otherUnity)
        .when({ type: 'ReviseUnity', data: { unityId: UNITY_ID, ...changes } })
        .then({ type: 'UnityRevised', data: { ...unity.data, ...changes } }),
  );
  it('records nothing if a revision changes nothing', () => {
    given(created, unity)
      .when({ type: 'ReviseUnity', data: { unityId: UNITY_ID } })
      .then();
    given(created, unity).when({ type: 'ReviseUnity', data: unity.data }).then();
  });
  it('is updated together with its institution, but without the other unities', () =>
    given(created, unity, otherUnity)
      .when({ type: 'ReviseUnity', data: { unityId: UNITY_ID, name: 'Northeast' } })
      .thenState((state) => {
        expect(fieldsIn(state)).toMatchObject({ createdAt: EARLIER, updatedAt: NOW });
        expect(fieldsIn(state)?.unities).toMatchObject([
          { name: 'Northeast', address: 'North street 2', createdAt: EARLIER, updatedAt: NOW },
          { name: 'South', createdAt: EARLIER, updatedAt: EARLIER },
        ]);
      }));
  it('has all the fields that responses show, and no others, and so has its institution', () => {
    const fields = fieldsIn(given(created, unity).state());
    expect(InstitutionFields.parse(fields)).toStrictEqual(fields);
  });
  it('is found by its id', () =>
    expect(unityOf(given(created, unity).state(), UNITY_ID)).toMatchObject({
      name: 'North',
      institutionId: AGGREGATE_ID,
    }));
  it('cannot be found or revised if the institution has no such unity', () =>
    given(created, unity)
      .when({ type: 'ReviseUnity', data: { unityId: UNKNOWN_ID } })
      .thenRefuses('unity-not-found', { unityId: UNKNOWN_ID }));
  it('reports all invalid fields at once', () => {
    sending('AddUnity', { name: '', address: 'a'.repeat(2_001) }).isRefusedFor('/name blank', '/address too_big');
    sending('ReviseUnity', { name: null, address: 5 }).isRefusedFor(
      '/unityId invalid_type',
      '/name invalid_type',
      '/address invalid_type',
    );
  });
});

it.each([
  ['CreateInstitution', {}],
  ['ReviseInstitution', {}],
  ['AddUnity', {}],
  ['ReviseUnity', { unityId: UNITY_ID }],
] as const)('a name cannot look like another: %s', (type, sent) =>
  sending(type, { ...sent, name: 'Santa\u202e Casa' }).isRefusedFor('/name control-character'),
);

describe('an institution that was never created', () => {
  it.each([
    { type: 'ReviseInstitution', data: { name: 'Santa Maria' } },
    { type: 'AddUnity', data: { name: 'East' } },
    { type: 'ReviseUnity', data: { unityId: UNITY_ID } },
  ] as const)('refuses $type', (command) => given().when(command).thenRefuses('institution-not-found', {}));
});
