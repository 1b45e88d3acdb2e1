// npm run golden -- RELEASE: writes the current version of every event type to the golden fixtures in
// test/domain/golden, with an example from the log of a recorded release. Never changes a version that a fixture
// already has, because that version was released.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { allDeciders } from '../src/domain/all.js';
import { schemaVersionOf, upcastersOf } from '../src/domain/decider.js';
import { upcastPayload } from '../src/infrastructure/facts/upcast.js';
import { fieldsOf } from './event-fields.js';

interface Recorded {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

const PROFILE_ID = '018f4c3e-0000-7000-8000-000000000002';
const FORM_ID = '018f4c3e-0000-7000-8000-000000000003';
const [QUESTION_ID, OTHER_QUESTION_ID] = [
  '018f4c3e-0000-7000-8000-000000000004',
  '018f4c3e-0000-7000-8000-000000000005',
];
const [OPTION_ID, OTHER_OPTION_ID] = ['018f4c3e-0000-7000-8000-000000000006', '018f4c3e-0000-7000-8000-000000000007'];
const OLD_KEY = 'localhost/audit/log+fcdc28ce+AUuUZzv95NUDNVXunrK/NE+pqe+HXGzUdXJtZJwn9yIh';
const NEW_KEY = 'localhost/audit/log+2b1e19da+AZ1AaGPbmhNjtXjYEd7ifn1lNYmGDPnVQcJZ5XQJhm9H';
const CHECKPOINT =
  'localhost/audit/log\n3\nRcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=\n\n— localhost/audit/log Kx4Z2hOdFJ0PDWOqYUHSvPF0dQ0M6u2n1fmuCYqSz7jUUXgjGkAJVBPgQDgcDDdvhPSUDPDmZBzNJbLyiNRzNmkM0gI=\n';
const root = new URL('..', import.meta.url);
const [release = '99325c0'] = process.argv.slice(2);
const responses = JSON.parse(
  gunzipSync(readFileSync(new URL(`test/releases/${release}/responses.json.gz`, root))).toString(),
) as Record<string, { readonly items: readonly Recorded[] }>;
const log = responses['/audit/events?limit=200']?.items ?? [];

// Events that the release does not record: types that were added after the release.
const BY_HAND: readonly Recorded[] = [
  {
    type: 'ProtocolQuestionsReordered',
    schemaVersion: 1,
    data: { formId: FORM_ID, questionIds: [QUESTION_ID, OTHER_QUESTION_ID] },
  },
  {
    type: 'ProtocolOptionsReordered',
    schemaVersion: 1,
    data: { formId: FORM_ID, questionId: QUESTION_ID, optionIds: [OPTION_ID, OTHER_OPTION_ID] },
  },
  {
    type: 'UserProfileChangedSinceApproval',
    schemaVersion: 1,
    data: { profileId: PROFILE_ID, changed: ['name', 'document'], isReviewed: false },
  },
  {
    type: 'AuditLogKeyRotated',
    schemaVersion: 1,
    data: { origin: 'localhost/audit/log', previousKey: OLD_KEY, key: NEW_KEY },
  },
  {
    type: 'AuditLogStarted',
    schemaVersion: 1,
    data: {
      origin: 'localhost/audit/log/2',
      reason: 'The disk failed; restored from the backup of the night.',
      previousOrigin: 'localhost/audit/log',
      previousCheckpoint: CHECKPOINT,
    },
  },
  { type: 'UserProfileReturnedToAnalysis', schemaVersion: 1, data: { profileId: PROFILE_ID } },
  {
    type: 'UserSignInEmailChanged',
    schemaVersion: 1,
    data: { email: 'ana@clinic.example', by: 'operator', operator: 'Rui Alves' },
  },
];

for (const decider of allDeciders) {
  for (const [type, schema] of Object.entries(decider.events)) {
    const file = fileURLToPath(new URL(`test/domain/golden/${type}.json`, root));
    const golden = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
    // The longest example shows the most.
    const [example] = [...log, ...BY_HAND]
      .filter((event) => event.type === type)
      .toSorted((a, b) => JSON.stringify(b.data).length - JSON.stringify(a.data).length);
    if (example === undefined) throw new Error(`the log of release ${release} has no ${type}`);
    const fields = fieldsOf(schema).map(({ description: _, ...field }) => field);
    const data = upcastPayload(upcastersOf(decider, type), example.schemaVersion, example.data);
    golden[`v${schemaVersionOf(decider, type)}`] ??= { fields, data };
    writeFileSync(file, `${JSON.stringify(golden, null, 2)}\n`);
  }
}
