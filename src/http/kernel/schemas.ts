// Fields that the schemas of several resources share.
import { z } from 'zod';

export const id = z.uuid();
export const instant = z.iso.datetime();
export const dates = { createdAt: instant, updatedAt: instant };
