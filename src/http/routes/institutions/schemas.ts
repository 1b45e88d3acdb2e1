// The schemas of responses about institutions.
import { z } from 'zod';
import { dates, id } from '../../request/schemas.js';

export const Unity = z
  .object({ id, institutionId: id, name: z.string(), address: z.string().nullable(), ...dates })
  .meta({ id: 'Unity' });

export const Institution = z
  .object({
    id,
    name: z.string(),
    document: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    address: z.string().nullable(),
    unities: z.array(Unity),
    ...dates,
  })
  .meta({ id: 'Institution' });
