// The documents name exactly the metrics that a running server exposes, and every alert has a section of the runbook.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sharedService } from '../support/service-of-file.js';

const server = sharedService();
const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = textOf('docs/operations.md');

/** Resolves to the name of every metric that the server exposes, with or without a value. */
const exposed = async (): Promise<string[]> =>
  [...(await server.get<string>('/metrics')).body.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const rules = (): Rules['groups'][number]['rules'] =>
  (parse(textOf('deploy/alerts.yml')) as Rules).groups.flatMap((group) => group.rules);

describe('docs/operations.md', () => {
  it('documents every metric that is not of Node.js', async () => {
    const names = (await exposed()).filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('documents only metrics that exist', async () => {
    const named = [
      ...page.matchAll(/`((?:http|personal|projection|queue|unqueued|audit|log_lines|process|nodejs)_[a-z0-9_]+)`/g),
    ].map(([, name = '']) => name);
    const names = await exposed();
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('deploy/alerts.yml', () => {
  it('has a section of the runbook for each alert, and no section without an alert', () => {
    const alerts = /\n## Alerts\n([\s\S]*?)\n## /.exec(textOf('docs/runbook.md'))?.[1] ?? '';
    const sections = [...alerts.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules().map(({ alert }) => alert));
  });

  it('alerts on unavailable queues, messages that wait and dead letters', () => {
    const exprs = rules().map(({ expr }) => expr);
    const metrics = ['queue_reachable', 'unqueued_messages', 'queue_dead_letters'];
    expect(metrics.filter((metric) => !exprs.some((expr) => expr.includes(metric)))).toEqual([]);
  });

  it('alerts only on metrics that exist, and no two alerts share a name', async () => {
    expect(rules().length).toBeGreaterThan(5);
    expect(new Set(rules().map(({ alert }) => alert)).size).toBe(rules().length);
    const names = await exposed();
    for (const { alert, expr } of rules()) {
      const used = [
        ...expr.matchAll(/\b(?:http|personal|projection|queue|unqueued|audit|log_lines|process|nodejs)_\w+/g),
      ].map(([name]) => name.replace(/_(count|bucket|sum)$/, ''));
      expect(
        used.filter((name) => !names.includes(name)),
        alert,
      ).toEqual([]);
      expect(used.length > 0 || expr.includes('up{'), alert).toBe(true);
    }
  });
});
