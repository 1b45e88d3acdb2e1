// The part of the demo about the life of forms: published, superseded, retired, and archived with their protocol.
import type { Form, FormVersion, ProtocolFields } from '../../src/domain/protocol/schemas.js';
import type { LastingStores } from '../../src/infrastructure/stores.js';
import { call, chapter, say, table } from './client.js';
import { showEvents } from './events.js';

/** Publishes the first form of a protocol, makes a version from it, retires it, and archives and restores the protocol. */
export const playForms = async (
  { protocol, form }: { readonly protocol: ProtocolFields; readonly form: Form },
  stores: LastingStores | undefined,
): Promise<void> => {
  const root = `/protocols/${protocol.id}`;
  chapter(`The life of the forms of ${protocol.name}`);
  await call('POST', `${root}/forms/${form.id}/publish`, { body: { reason: 'The committee approved the wording.' } });
  say('  a published form is never changed:');
  const [question] = form.questions;
  const refused = { body: { required: false }, allowedStatus: 409 };
  await call('PUT', `${root}/questions/${question?.id}`, refused);

  say('  a new version starts from the first form, and loses its last question:');
  const next = await call<Form>('POST', `${root}/forms/versions`, { body: { fromFormId: form.id } });
  await call('DELETE', `${root}/questions/${next.questions.at(-1)?.id}`);
  const current = await call<Form>('GET', `${root}/forms/current`);
  say(`  version ${current.version} is in use; version ${next.version} is a draft`);

  await call('POST', `${root}/forms/${form.id}/retire`, { body: { reason: 'A shorter form replaces it.' } });
  await call('POST', `${root}/archive`, { body: { reason: 'The ward uses another instrument.' } });
  await call('POST', `${root}/restore`);
  const { items } = await call<{ items: readonly FormVersion[] }>('GET', `${root}/forms?sort=createdAt`);
  table(
    ['version', 'status'],
    items.map(({ version, status }) => [`${version}`, status]),
  );
  await showEvents(stores, `protocol-${protocol.id}`);
};
