// The route of the evidence of a profile's history.
import { hash } from 'node:crypto';
import { Evidence, evidenceOf } from '../../../audit/evidence.js';
import { DomainError } from '../../../domain/errors.js';
import { overseers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { get, type Route } from '../../route/route.js';
import { recordReading } from './readings.js';

/** Returns the routes of evidence. */
export const evidenceRoutes = (app: RouteContext): readonly Route[] => [
  get('/users/{id}/profiles/{profileId}/history/evidence', {
    access: { who: overseers, rate: 'unapproved', personal: true },
    name: 'getProfileEvidence',
    summary: 'Exports the history of a profile as a self-contained proof',
    description:
      'With this file and the key of the audit log, an auditor can verify who decided what, when and why, without access to the service. `verifier/` contains the program and the description of the format. The file contains names, registrations and reasons unless the person was erased. The request is recorded in the audit trail.',
    responses: { 200: Evidence },
    travelsInTime: true,
    readsLog: true,
    headers: ['Content-Disposition'],
    refuses: ['profile-not-found', 'evidence-too-large', 'log-behind'],
    handle: async ({ params: { id: userId, profileId }, readOptions: { asOf }, by }) => {
      const evidence = await evidenceOf(app, { userId, profileId }, asOf);
      if (evidence === undefined) throw new DomainError('profile-not-found', { profileId });
      const filter = { user: userId, profile: profileId, ...(asOf !== undefined && { asOf }) };
      await recordReading(app, { what: 'profile-evidence', filter }, by);
      const json = `${JSON.stringify(evidence, undefined, 2)}\n`;
      const headers = { 'Content-Disposition': `attachment; filename="evidence-${profileId}.json"` };
      return { json, tag: hash('sha256', json, 'base64url'), headers };
    },
  }),
];
