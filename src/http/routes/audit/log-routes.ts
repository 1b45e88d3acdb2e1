// The routes of the audit log as a transparency log (C2SP tlog-tiles): checkpoint, tiles, entries and keys.
import { z } from 'zod';
import { keysOf, type LogKey, logKeys } from '../../../transparency/keys.js';
import { entryBundle, parsedTilePath, TILE_LEVELS, TILE_PATH } from '../../../transparency/tiles.js';
import { auditors, unidentified } from '../../access/access.js';
import { Problem } from '../../problems/problems.js';
import type { RouteContext } from '../../route/context.js';
import { tagged } from '../../route/paging.js';
import { get, type Route } from '../../route/route.js';
import { recordEntriesReading } from './readings.js';

const access = { who: auditors, personal: false } as const;
const tile = {
  description:
    'The index of the tile in groups of three digits. All groups except the last have the prefix `x`. The slashes between the groups may be percent-encoded. The suffix `.p/N` requests only the first N hashes or entries.',
  pattern: TILE_PATH,
  example: '000.p/1',
};
const level = { description: 'The level of the tile, from 0.', pattern: `^[0-${TILE_LEVELS - 1}]$`, example: '0' };

const LogKeys = z
  .object({
    items: z.array(
      z
        .object({
          origin: z
            .string()
            .describe(
              'The origin of the log whose checkpoints the key signs. It is the first line of each checkpoint.',
            ),
          verifierKey: z.string().describe('The verifier key (C2SP signed-note).'),
          madeAt: z.iso.datetime(),
          signs: z.boolean().describe('Whether the service still has the private key and signs with it.'),
        })
        .meta({ id: 'LogKey' }),
    ),
  })
  .meta({ id: 'LogKeys' });

/** The bodies of the transparency log that are not JSON. */
const logTexts = {
  checkpoint: z.string().meta({
    examples: [
      'localhost/audit/log\n3\nRcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=\n\n— localhost/audit/log Kx4Z2hOdFJ0PDWOqYUHSvPF0dQ0M6u2n1fmuCYqSz7jUUXgjGkAJVBPgQDgcDDdvhPSUDPDmZBzNJbLyiNRzNmkM0gI=\n',
    ],
  }),
  key: z.string().meta({ examples: ['localhost/audit/log+2b1e19da+AZ1AaGPbmhNjtXjYEd7ifn1lNYmGDPnVQcJZ5XQJhm9H\n'] }),
  bytes: z.string().meta({ openapi: { type: 'string', contentMediaType: 'application/octet-stream' } }),
};

export const logRoutes = (app: RouteContext): readonly Route[] => [
  get('/audit/log/checkpoint', {
    access,
    name: 'getLogCheckpoint',
    summary: 'Reads the newest checkpoint of the audit log',
    description:
      'The response is a signed note (C2SP tlog-checkpoint). If witnesses have cosigned a checkpoint in the last minutes, it is the newest that they have cosigned.',
    type: 'text/plain',
    responses: { 200: logTexts.checkpoint },
    kind: 'log',
    refuses: ['log-not-signed'],
    handle: async () => tagged(Buffer.from((await currentCheckpoint(app)).note)),
  }),
  get('/audit/log/key', {
    access: { ...access, who: unidentified },
    name: 'getLogKey',
    summary: 'Reads the key that verifies the checkpoints of the audit log',
    description: 'The response is one line with a verifier key (C2SP signed-note).',
    type: 'text/plain',
    responses: { 200: logTexts.key },
    kind: 'log',
    refuses: ['log-not-signed'],
    handle: async () => {
      const [newest] = await keysOf(app.vault, (await currentCheckpoint(app)).origin);
      if (newest === undefined) throw new Problem('log-not-signed');
      return tagged(Buffer.from(`${newest.verifierKey}\n`));
    },
  }),
  get('/audit/log/keys', {
    access,
    name: 'listLogKeys',
    summary: 'Lists all keys that have signed checkpoints of the audit log, newest first',
    responses: { 200: LogKeys },
    kind: 'log',
    handle: async () => {
      return tagged(JSON.stringify({ items: (await logKeys(app.vault)).map(shownKey) }));
    },
  }),
  get('/audit/log/tile/entries/{tile}', {
    access,
    kind: 'recorded',
    name: 'getLogEntries',
    summary: 'Reads entries of the audit log',
    description:
      'The response is an entry bundle (C2SP tlog-tiles). An entry is the canonical JSON of an event with a digest of its payload. The audit trail records that a session reads entries, once per hour.',
    texts: { tile },
    type: 'application/octet-stream',
    responses: { 200: logTexts.bytes },
    refuses: ['tile-not-found'],
    handle: async ({ params, bearer, by }) => {
      const { index, width } = existing(parsedTilePath(params.tile));
      const leaves = existing(await app.transparencyLog.entries(index, width));
      await recordEntriesReading(app, bearer?.sessionId, by);
      return tagged(entryBundle(leaves));
    },
  }),
  get('/audit/log/tile/{level}/{tile}', {
    access,
    name: 'getLogTile',
    summary: 'Reads hashes of the Merkle tree of the audit log',
    description: 'The response is a tile (C2SP tlog-tiles) with at most 256 hashes of 32 bytes.',
    texts: { level, tile },
    type: 'application/octet-stream',
    responses: { 200: logTexts.bytes },
    kind: 'log',
    refuses: ['tile-not-found'],
    handle: async ({ params }) => {
      const { index, width } = existing(parsedTilePath(params.tile));
      const place = { level: existing(levelOf(params.level)), index };
      // Clients must revalidate tiles, too, because a new log has other tiles at the same paths.
      return tagged(existing(await app.transparencyLog.hashTile(place, width)));
    },
  }),
];

const currentCheckpoint = async ({ transparencyLog }: RouteContext) => {
  const current = await transparencyLog.current();
  if (current === undefined) throw new Problem('log-not-signed');
  return current;
};

const shownKey = ({ origin, verifierKey, madeAt, sealed }: LogKey) => ({
  origin,
  verifierKey,
  madeAt,
  signs: sealed !== null,
});

const levelOf = (text: string): number | undefined => (new RegExp(level.pattern).test(text) ? Number(text) : undefined);

const existing = <T>(found: T | undefined): T => {
  if (found === undefined) throw new Problem('tile-not-found');
  return found;
};
