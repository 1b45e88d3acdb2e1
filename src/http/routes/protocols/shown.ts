// What the routes of protocols show: a protocol, a part of it, or both together.
import { z } from 'zod';
import { protocol } from '../../../domain/protocol/decide.js';
import { active, type Protocol } from '../../../domain/protocol/fold.js';
import { Form, ProtocolFields } from '../../../domain/protocol/schemas.js';
import { documentsOf } from '../../route/reading.js';

export const protocolFields = (state: Protocol): ProtocolFields => active(state).fields;

export const resource = { ...documentsOf('protocols'), decider: protocol, show: protocolFields };

/** Returns the resource of a part of a protocol. */
export const part = (show: (state: Protocol) => unknown) => ({ ...resource, show });

export const ProtocolAndForm = z.object({ protocol: ProtocolFields, form: Form }).meta({ id: 'ProtocolAndForm' });

/** Returns the resource of a protocol together with one of its forms. */
export const withForm = (form: (state: Protocol) => unknown) =>
  part((state) => ({ protocol: protocolFields(state), form: form(state) }));
