import { hash } from 'node:crypto';
import { CLAUDE_CODE, CLAUDE_CODE_PERSON, countsByMetrics } from './claude-code-names.js';
import { attributesOf, listOf, type Attributes, type Received } from './otlp-json.js';
import {
  dimensionsIn,
  notesOf,
  personIn,
  timeOf,
  withoutPerson,
  type Report,
  type TelemetryContext,
} from './report.js';
import { memberOf } from '../records.js';

const DELTA = new Set<unknown>([1, 'AGGREGATION_TEMPORALITY_DELTA']);
const COST_DECIMALS = 12;
const ID_DIGITS = 32;

/** Data points of one export that have equal attributes except for their type. */
interface Group {
  readonly id: string;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  readonly time: unknown;
  readonly from: number[];
  readonly sums: Map<string, number>;
}

/**
 * Reads the counters of Claude Code. All usage of one model by one person since the previous export becomes one usage
 * event. Counters are used only if the resource requests it. Other metrics are ignored.
 */
export function reportsOfMetrics(metrics: readonly Received[], telemetry: TelemetryContext): Report[] {
  const groups = new Map<string, Group>();
  const reports: Report[] = [];
  let at = -1;
  for (const { item, resource } of metrics) {
    const isCost = item['name'] === CLAUDE_CODE.costMetric;
    const isCounted = item['name'] === CLAUDE_CODE.tokenMetric || (isCost && telemetry.countsReportedCost);
    for (const point of pointsOf(item)) {
      at += 1;
      const attributes = attributesOf(point);
      if (!isCounted || !countsByMetrics(attributes, resource)) continue;
      if (DELTA.has(memberOf(item['sum'], 'aggregationTemporality'))) {
        addTo(groups, { point, attributes, resource }, at, isCost ? 'cost' : attributes.get('type'));
      } else {
        const message = 'must be delta: leave OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE at delta';
        reports.push({ from: [at], refusal: { id: null, field: 'aggregationTemporality', message } });
      }
    }
  }
  return [...reports, ...[...groups.values()].map(group => reportOf(group, telemetry))];
}

function pointsOf(metric: Received['item']): readonly unknown[] {
  const kind = ['sum', 'gauge', 'histogram', 'exponentialHistogram', 'summary'].find(name => metric[name]);
  return kind === undefined ? [] : listOf(metric[kind], 'dataPoints');
}

function addTo(
  groups: Map<string, Group>,
  { point, attributes, resource }: { point: unknown; attributes: Attributes; resource: Attributes },
  at: number,
  type: unknown,
): void {
  const [start, time] = [memberOf(point, 'startTimeUnixNano'), memberOf(point, 'timeUnixNano')];
  const others = [...attributes].filter(([name]) => name !== 'type').toSorted(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([others, start, time]);
  // The id is derived from the content, so that a repeated export has the same id.
  const id = `claude-code:metrics:${hash('sha256', key, 'hex').slice(0, ID_DIGITS)}`;
  const group = groups.get(key) ?? { id, attributes, resource, time, from: [], sums: new Map<string, number>() };
  groups.set(key, group);
  group.from.push(at);
  const name = typeof type === 'string' ? type : '';
  group.sums.set(name, (group.sums.get(name) ?? 0) + Number(memberOf(point, 'asInt') ?? memberOf(point, 'asDouble')));
}

function reportOf({ id, attributes, resource, time, from, sums }: Group, telemetry: TelemetryContext): Report {
  const person = personIn(attributes, CLAUDE_CODE_PERSON) ?? personIn(resource, CLAUDE_CODE_PERSON) ?? telemetry.sender;
  if (!person) return { from, ...withoutPerson(id, CLAUDE_CODE_PERSON) };
  const sum = (type: string): number => sums.get(type) ?? 0;
  const cached = { cache_read_tokens: sum('cacheRead'), cache_write_tokens: sum('cacheCreation') };
  return {
    from,
    event: {
      id,
      ...person,
      provider: 'anthropic',
      model: attributes.get('model'),
      occurred_at: timeOf(time),
      // Claude Code's count of input tokens does not include cached tokens.
      input_tokens: sum('input') + cached.cache_read_tokens + cached.cache_write_tokens,
      output_tokens: sum('output'),
      ...cached,
      ...(sums.has('cost') ? { cost_usd: sum('cost').toFixed(COST_DECIMALS) } : {}),
      ...dimensionsIn({ attributes, resource }),
      metadata: { source: 'claude-code', ...notesOf({ session: attributes.get('session.id') }) },
    },
  };
}
