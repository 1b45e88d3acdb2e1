import { describe, expect, it } from 'vitest';
import { type Specialty, specialty, specialtyFields } from '../../src/domain/specialty.js';
import { AGGREGATE_ID, EARLIER, NOW, specification } from '../support/specification.js';

const { given, sending } = specification(specialty);

const content = { name: 'Cardiología', description: 'The heart', enabled: true };
const created = { type: 'SpecialtyCreated', data: content } as const;
const uniqueIn = (state: Specialty) => specialty.unique?.values(state);

describe('a specialty, when it is created', () => {
  it('has the content that was sent', () => given().when({ type: 'CreateSpecialty', data: content }).then(created));
  it('requires only a name; by default it has no description and is enabled', () => {
    given()
      .when({ type: 'CreateSpecialty', data: { name: 'Neurology' } })
      .then({ type: 'SpecialtyCreated', data: { name: 'Neurology', description: null, enabled: true } });
    sending('CreateSpecialty', {}).isRefusedFor('/name invalid_type');
  });
  it('has the id of its stream, and is dated now', () =>
    given()
      .when({ type: 'CreateSpecialty', data: content })
      .thenState((state) =>
        expect(state).toStrictEqual({
          status: 'active',
          fields: { id: AGGREGATE_ID, ...content, createdAt: NOW, updatedAt: NOW },
        }),
      ));
  it('reports all invalid fields at once', () =>
    sending('CreateSpecialty', { name: '\u200b', description: 'd'.repeat(2_001), enabled: null }).isRefusedFor(
      '/name control-character',
      '/description too_big',
      '/enabled invalid_type',
    ));
});

describe('a specialty, when it is revised', () => {
  it.each([{ name: 'Neurology' }, { description: null }, { enabled: false }])(
    'changes only the fields that are sent: %o',
    (changes) =>
      given(created)
        .when({ type: 'ReviseSpecialty', data: changes })
        .then({ type: 'SpecialtyRevised', data: { ...content, ...changes } }),
  );
  it('keeps its createdAt', () =>
    given(created)
      .when({ type: 'ReviseSpecialty', data: { enabled: false } })
      .thenState((state) => expect(specialtyFields(state)).toMatchObject({ createdAt: EARLIER, updatedAt: NOW })));
  it('refuses a name that looks like another, which an old event may have', () => {
    sending('ReviseSpecialty', { name: 'Neuro\u202elogy' }).isRefusedFor('/name control-character');
    given({ ...created, data: { ...content, name: 'Neuro\u202elogy' } })
      .when({ type: 'ReviseSpecialty', data: { enabled: false } })
      .then({ type: 'SpecialtyRevised', data: { ...content, name: 'Neuro\u202elogy', enabled: false } });
  });
  it('records nothing if nothing changes', () => {
    given(created).when({ type: 'ReviseSpecialty', data: {} }).then();
    given(created).when({ type: 'ReviseSpecialty', data: content }).then();
  });
  it('is refused if it was never created', () =>
    given()
      .when({ type: 'ReviseSpecialty', data: { name: 'Neurology' } })
      .thenRefuses('specialty-not-found', {}));
});

describe('the name of a specialty', () => {
  const value = (name: string) => [{ kind: 'specialty-name', value: name, path: ['name'] }];

  it('is no personal value, and a taken name has a refusal of its own', () =>
    expect(specialty.unique).toMatchObject({ refusal: 'specialty-name-taken', isPerson: false }));
  it('is unique, and only the current name counts', () =>
    given(created)
      .when({ type: 'ReviseSpecialty', data: { name: 'NEURO' } })
      .thenState((state) => expect(uniqueIn(state)).toEqual(value('neuro'))));
  it.each([
    'Cardiología',
    'Cardiologia ',
    'Cardio\u200Blogia',
    'Cardiologia\u3164',
    '\u00A0Ｃardiologia\uFE0F',
    'CARDIOLOGÍA',
  ])('is the same without case, accents, outer white space, invisible characters and compatible forms: %j', (name) =>
    expect(uniqueIn(given({ ...created, data: { ...content, name } }).state())).toEqual(value('cardiologia')),
  );
  it('is not reserved before the specialty is created', () => expect(uniqueIn(given().state())).toEqual([]));
});
