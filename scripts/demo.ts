// npm run demo: a walk through the running service, chapter by chapter. The demo prints each request, its response and
// the events that the request recorded. The chapters are in scripts/demo/. The demo can run any number of times on one
// service.
import { playApproval, profileOf } from './demo/approval.js';
import { playErasure, playHistory, playTrail } from './demo/audit.js';
import { type Callers, signInCallers } from './demo/callers.js';
import { actAs, base, call, chapter, say } from './demo/client.js';
import { type Institution, playAttachments, playDoctors, playDocuments, playSpecialties } from './demo/doctors.js';
import { openLocalStores, showEvents } from './demo/events.js';
import { playQuestionnaires } from './demo/questionnaires.js';

const main = async (): Promise<void> => {
  say(`The service at ${base}`);
  await fetch(`${base}/readyz`).catch(() => {
    throw new Error(
      `no service is running at ${base}: start it with npm start in another terminal, then run the demo again`,
    );
  });
  const callers = await signInCallers();
  const stores = await openLocalStores();
  try {
    await play(stores, callers);
  } finally {
    await stores?.close();
  }
};

const play = async (
  stores: Awaited<ReturnType<typeof openLocalStores>>,
  callers: Callers | undefined,
): Promise<void> => {
  const facts = stores?.facts;
  chapter('An institution with two unities');
  const unities = [{ name: 'Emergency' }, { name: 'Primary care' }];
  const institution = await call<Institution>('POST', '/institutions', {
    body: { name: 'Hospital das Flores', unities },
  });
  await showEvents(facts, `institution-${institution.id}`);

  const protocolId = await playQuestionnaires(institution.id, facts);
  await playSpecialties();
  const [ana, bruno] = await playDoctors(facts);
  await playDocuments(ana);
  await playAttachments(ana, institution);
  const decidedAt = await playApproval(ana, bruno, { facts, isSignedIn: callers !== undefined });
  await playHistory(bruno, decidedAt);
  actAs(callers?.auditor);
  await playTrail();
  actAs(callers?.administrator);
  await playErasure(bruno, stores?.sealedFacts);

  chapter('Open next');
  const paths = [
    '/docs',
    `/protocols?institutionId=${institution.id}`,
    `/protocols/${protocolId}/questionnaire?version=1`,
    `/protocols/${protocolId}/questionnaire?asOf=${new Date().toISOString()}`,
    `/users?institutionId=${institution.id}`,
    `${profileOf(ana)}/history`,
    '/profiles?approvalStatus=ANALYSING',
    `/audit/events?stream=user-${bruno.id}`,
    '/audit/events?category=auditRead',
    `/institutions/${institution.id}`,
  ];
  for (const path of paths) say(`  ${base}${path}`);
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
