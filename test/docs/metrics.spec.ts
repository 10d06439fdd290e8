import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { promtool } from '../support/promtool.js';
import { declaredInstruments } from './instruments.js';
import { readPage, ROOT } from './markdown.js';

const MONITORING = join(ROOT, 'docs', 'monitoring');
const ROW = /^\| `([a-z0-9_]+)` +\| (counter|gauge|histogram) +\| (.*?) +\|/gm;
const NAME = /\b(?:governance|http_server|db_client|process|v8js|nodejs)_[a-z0-9_]+/g;

/** Names of series that belong to a metric. */
const SERIES = new Set(
  declaredInstruments().flatMap(({ name, kind }) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  ),
);

/** Names of metrics in a text, without labels. */
function namesIn(text: string): string[] {
  const labels = new Set(['governance_queue', 'governance_outcome', 'governance_action', 'governance_reason']);
  labels.add('db_client_connection_state').add('governance_event').add('governance_state').add('governance_stage');
  return [...new Set(text.match(NAME))].filter(name => !labels.has(name));
}

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(promtool(), args, { cwd: MONITORING, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('the page about metrics', () => {
  it('names each metric of the code with its kind and its description', () => {
    const rows = [...readPage('docs/metrics.md').matchAll(ROW)].map(([, name, kind, description]) => ({
      name,
      kind,
      description,
    }));
    const declared = declaredInstruments().map(({ name, kind, description }) => ({
      name,
      kind,
      description: `${description}.`,
    }));
    expect(rows.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1))).toEqual(declared);
  });
});

describe('the alerts of Prometheus', () => {
  it('are valid, and fire as their tests say', () => {
    expect(run('check', 'rules', 'alerts.yaml')).toMatchObject({ status: 0 });
    expect(run('test', 'rules', 'alert-cases.yaml')).toMatchObject({ status: 0 });
  }, 300_000);

  it('have a test each', () => {
    const tests = readPage('docs/monitoring/alert-cases.yaml');
    const alerts = [...readPage('docs/monitoring/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
    expect(alerts.filter(name => !tests.includes(`alertname: ${name}`))).toEqual([]);
  });

  it.each(['alerts.yaml', 'alert-cases.yaml', 'dashboard.json'])(
    'and the dashboard use metrics that exist: %s',
    file => {
      const names = namesIn(readPage(`docs/monitoring/${file}`));
      expect(names.length).toBeGreaterThan(5);
      expect(names.filter(name => !SERIES.has(name))).toEqual([]);
    },
  );
});

describe('the dashboard of Grafana', () => {
  it('has a query in each panel, and no overlapping panels', () => {
    const { panels } = JSON.parse(readPage('docs/monitoring/dashboard.json')) as {
      panels: { title: string; gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
    };
    expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
  });

  it('shows each metric that an alert uses', () => {
    const shown = namesIn(readPage('docs/monitoring/dashboard.json'));
    const watched = [...readPage('docs/monitoring/alerts.yaml').matchAll(/expr: (.*?)\n +(?:for|labels):/gs)].flatMap(
      ([, expr = '']) => namesIn(expr),
    );
    expect(watched.length).toBeGreaterThan(15);
    expect(watched.filter(name => !shown.includes(name))).toEqual(['db_client_connection_max']);
  });

  it('has valid PromQL in all queries', () => {
    const { panels } = JSON.parse(readPage('docs/monitoring/dashboard.json')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const rules = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, at) => ({ record: `panel_${at}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
    const folder = mkdtempSync(join(tmpdir(), 'panels-'));
    try {
      const path = join(folder, 'panels.yaml');
      writeFileSync(path, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
      expect(run('check', 'rules', path)).toMatchObject({ status: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
