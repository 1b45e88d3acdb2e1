// The schemas of responses about specialties.
import { z } from 'zod';
import { dates, id } from '../../request/schemas.js';

export const Specialty = z
  .object({ id, name: z.string(), description: z.string().nullable(), enabled: z.boolean(), ...dates })
  .meta({ id: 'Specialty' });
