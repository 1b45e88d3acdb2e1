// A payload with personal values of every kind, sealed into an event.

import {
  openPayload,
  type Sealable,
  sealPayload,
  separatePersonal,
} from '../../../../src/infrastructure/persons/payload.js';
import type { FieldPath, Payload } from '../../../../src/infrastructure/persons/personal-values.js';
import { newKey } from '../../../../src/infrastructure/sealed/aes-gcm.js';

export const key = newKey();
export const event: Sealable = {
  stream: 'user-1',
  revision: 3,
  id: '01a1fdd5-227b-7226-b304-937737b30fe7',
  type: 'Registered',
  metadata: {
    at: '2026-01-05T08:00:00.000Z',
    actor: { id: 'user-2', roles: ['ADMINISTRATOR', 'NURSE'] },
    origin: 'https://desk.example',
    correlationId: '01a1fdd5227b7226b304937737b30fe7',
    causationId: 'request-1',
    schemaVersion: 1,
  },
};
export const paths: readonly FieldPath[] = [['name'], ['home', 'city'], ['contacts', '*', 'phone'], ['tags', '*']];

/** Returns the payload as it is stored. The payload must have a personal value. */
export const stored = (data: unknown, of = event, by = key): Payload => {
  const parts = separatePersonal(data, paths);
  if (parts === undefined) throw new Error('nothing to seal');
  return JSON.parse(JSON.stringify(sealPayload(parts, by, of)));
};
/** Returns what a sealed payload opens to. */
export const opened = (data: Payload, of = event, by = key) => openPayload(data, by, of, paths);

export const person = {
  name: 'Ana Canário',
  home: { city: 'São Paulo', country: 'BR' },
  contacts: [{ phone: '1', kind: 'a' }, { phone: null }, { kind: 'c' }, { phone: '4' }],
  tags: ['x', null, 'y'],
  enabled: true,
};
