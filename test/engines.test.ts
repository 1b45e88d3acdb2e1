import { describe, expect, it, vi } from 'vitest';
import { enginesOf, warnOfAdmin } from '../src/engines.js';
import type { Log } from '../src/infrastructure/log.js';
import type { AllStores } from '../src/infrastructure/stores.js';
import type { EngineSettings } from '../src/settings/engines.js';

const settingsWith = (urls: Partial<EngineSettings>) => urls as EngineSettings;

describe('the engines that the configuration names', () => {
  const named = (urls: Partial<EngineSettings>) =>
    enginesOf(settingsWith(urls), {} as AllStores).map(({ name, hosts }) => [name, ...hosts]);

  it('have the hosts of their URLs with ports, and never a user or a password', () => {
    expect(named({})).toEqual([]);
    const urls = {
      eventStoreUrl: 'esdb+discover://clinic:c%40n%3Fa%2Fr@y@node1:2113,node2?tls=true&tlsCAFile=/path/ca.crt',
      mongoDbUrl: 'mongodb://clinic:canary@[::1],10.0.0.5:27018/clinical_protocols?replicaSet=rs0',
      redisUrl: 'rediss://:canary@queues.example.org/3',
    };
    expect(named(urls)).toEqual([
      ['EventStoreDB', 'node1:2113', 'node2:2113'],
      ['MongoDB', '[::1]:27017', '10.0.0.5:27018'],
      ['Redis', 'queues.example.org:6379'],
    ]);
    const mongoDbUrl = 'mongodb+srv://clinic:canary@cluster.example.org/?retryWrites=true';
    expect(named({ mongoDbUrl })).toEqual([['MongoDB', 'cluster.example.org']]);
  });

  it.each(['redis://queues:6379?password=c@nary', 'redis://:c/n@ry@queues:6379', 'redis://'])(
    'have no host if what looks like one may be a part of a password: %s',
    (redisUrl) => expect(named({ redisUrl })).toEqual([['Redis']]),
  );

  it('have the host before an @ that is not of a password', () => {
    const mongoDbUrl = 'mongodb://clinic:canary@vault/db?authMechanismProperties=SERVICE_NAME:a@REALM';
    expect(named({ mongoDbUrl })).toEqual([['MongoDB', 'vault:27017']]);
  });
});

describe('a start with the user admin of EventStoreDB', () => {
  it.each([
    ['esdb://admin:changeit@localhost:2113', 1],
    ['esdb+discover://admin@localhost:2113', 1],
    ['esdb://administrator:canary@localhost:2113', 0],
    ['esdb://clinic:canary@admin:2113', 0],
    ['esdb://admin:2113', 0],
    [undefined, 0],
  ])('logs a warning without the password: %s', (eventStoreUrl, warnings) => {
    const warn = vi.fn<(text: string) => void>();
    warnOfAdmin(settingsWith({ eventStoreUrl }), { warn } as unknown as Log);
    expect(warn).toHaveBeenCalledTimes(warnings);
    expect(`${warn.mock.calls}`).not.toContain('changeit');
  });
});
