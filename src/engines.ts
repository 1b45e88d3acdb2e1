// The servers that the configuration names, for reports of outages.
import { STORES } from './infrastructure/errors.js';
import type { Log } from './infrastructure/log.js';
import type { Engine } from './infrastructure/outages.js';
import type { AllStores } from './infrastructure/stores.js';
import { UPKEEP_QUEUE } from './operations/upkeep.js';
import type { EngineSettings } from './settings/engines.js';

/** Returns the servers, each with what the service does without it. */
export const enginesOf = (
  { eventStoreUrl, mongoDbUrl, redisUrl }: EngineSettings,
  { facts, vault, work }: Pick<AllStores, 'facts' | 'vault' | 'work'>,
): readonly Engine[] =>
  [
    {
      name: 'EventStoreDB',
      url: eventStoreUrl,
      port: 2113,
      without: 'writes respond with 503',
      stores: [STORES.log],
      ask: () => facts.head(),
    },
    {
      name: 'MongoDB',
      url: mongoDbUrl,
      port: 27_017,
      without: 'most requests respond with 503',
      stores: [STORES.vault, STORES.views, STORES.mongoDb],
      ask: () => vault.get({ kind: 'outage', key: 'none' }),
      wrongSettings: async () => vault.wrongSettings?.(),
    },
    {
      name: 'Redis',
      url: redisUrl,
      port: 6379,
      without: 'jobs wait, and each process counts rate limits on its own',
      stores: [STORES.queuesInRedis, STORES.limitsInRedis],
      ask: () => work.isPaused(UPKEEP_QUEUE),
      wrongSettings: async () => work.wrongSettings?.(),
      unsafe: 'queue-unsafe',
    },
  ].flatMap(({ url, port, ...engine }) => (url === undefined ? [] : [{ ...engine, hosts: hostsIn(url, port) }]));

/** Returns the hosts of a URL; none if its password may reach beyond them. DNS has the ports of an SRV name. */
const hostsIn = (url: string, port: number): readonly string[] => {
  const [, scheme, authority = '', rest = ''] = /^([^:]+):\/\/([^/?]*)(.*)/.exec(url) ?? [];
  const hosts = rest.includes('@') && !authority.includes('@') ? '' : authority.replace(/.*@/, '');
  const isWhole = (host: string) => scheme === 'mongodb+srv' || /:\d+$/.test(host);
  return hosts
    .split(',')
    .filter((host) => host !== '')
    .map((host) => (isWhole(host) ? host : `${host}:${port}`));
};

/** Warns of an account that may delete and truncate streams. */
export const warnOfAdmin = ({ eventStoreUrl = '' }: EngineSettings, log: Log): void => {
  const advice = 'use a user with only the rights that "Rights" in docs/operations.md lists';
  if (/^[^:]+:\/\/admin(:[^@]*)?@/.test(eventStoreUrl)) log.warn(`EVENTSTORE_URL has the user admin: ${advice}`);
};
