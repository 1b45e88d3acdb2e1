// References from one aggregate to another. A decision never reads a view: they are checked against the other's stream.
import { DomainError } from '../domain/errors.js';
import { institution } from '../domain/institution.js';
import type { Streams } from './streams.js';

/** Refuses a command whose `institutionId` names no institution. */
export const institutionMustExist = async (streams: Streams, institutionId: string): Promise<void> => {
  const { revision } = await streams.load(institution, institutionId);
  if (revision >= 0) return;
  const message = 'names no institution';
  throw new DomainError('fields-refused', { errors: [{ path: ['institutionId'], code: 'not-found', message }] });
};
