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

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

/** Returns the metrics of the service in an expression of Prometheus. */
const metricsIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/\b(?:http|personal|projection|queue|unqueued|audit|log_lines|process|nodejs)_\w+/g)].map(
    ([name]) => name.replace(/_(count|bucket|sum)$/, ''),
  );

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
      const used = metricsIn(expr);
      expect(
        used.filter((name) => !names.includes(name)),
        alert,
      ).toEqual([]);
      expect(used.length > 0 || expr.includes('up{'), alert).toBe(true);
    }
  });

  it('says for each alert how urgent it is, what it means and where the runbook explains it', () => {
    for (const { alert, labels, annotations } of rules()) {
      expect(labels, alert).toEqual({ severity: expect.stringMatching(/^(warning|critical)$/) });
      expect(annotations, alert).toEqual({
        ...{ summary: expect.any(String), description: expect.any(String) },
        runbook_url: expect.stringMatching(new RegExp(`/docs/runbook\\.md#${alert.toLowerCase()}$`)),
      });
    }
  });

  it('compares the cosignatures with the number of witnesses, which is 0 by default', async () => {
    expect((await server.get<string>('/metrics')).body).toMatch(/^audit_log_witnesses 0$/m);
    expect(rules().find(({ alert }) => alert === 'CosignaturesMissing')?.expr).toBe(
      'max(audit_log_cosignatures) < max(audit_log_witnesses)',
    );
  });
});

describe('deploy/grafana.json', () => {
  interface Panel {
    readonly id: number;
    readonly type: string;
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(textOf('deploy/grafana.json')) as { readonly panels: readonly Panel[] };

  it('shows only metrics that exist, of the chosen job', async () => {
    const names = await exposed();
    const exprs = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const own = exprs.filter((expr) => metricsIn(expr).length > 0);
    expect(own.length).toBeGreaterThan(15);
    expect(own.flatMap(metricsIn).filter((name) => !names.includes(name))).toEqual([]);
    expect(own.filter((expr) => !expr.includes('job="$job"'))).toEqual([]);
  });

  it('has panels beside each other that do not overlap, each with its id', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });
});
