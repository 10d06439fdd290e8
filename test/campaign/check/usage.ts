import { field, ofKind, text, type Evidence } from './evidence.js';
import type { Rule } from './rule.js';

interface StoredEvent {
  id: string;
  user_id: string;
  model: string;
  input: string;
  output: string;
  decision_id: string | null;
}

interface ReportedEvent {
  readonly id: string;
  readonly user_id: string;
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

const EVENTS = `
select id, user_id, model, input_tokens::text as input, output_tokens::text as output, decision_id
from governance.usage_events where org_id = $1`;

/** An event whose report was answered is stored with its reported content. */
const STORED: Rule = {
  name: 'no acknowledged usage is lost',
  check: async evidence => {
    const stored = new Map((await evidence.rows<StoredEvent>(EVENTS)).map(row => [row.id, row]));
    const violations: string[] = [];
    const acknowledged = new Set<string>();
    for (const { op, status, answer, events } of reports(evidence)) {
      if (status !== 200) continue;
      const rejected = field(answer, 'rejected');
      if (Array.isArray(rejected) && rejected.length > 0) {
        violations.push(`operation ${op}: usage was rejected: ${JSON.stringify(rejected[0])}`);
        continue;
      }
      for (const event of events) {
        acknowledged.add(event.id);
        const row = stored.get(event.id);
        if (!row) violations.push(`"${event.id}" was acknowledged (operation ${op}) and is not stored`);
        else if (!isSame(row, event)) violations.push(`"${event.id}" is stored as ${JSON.stringify(row)}`);
      }
    }
    return { examined: acknowledged.size, violations };
  },
};

/** Every event is stored at most once, and no event is stored that was not reported. */
const ONCE: Rule = {
  name: 'no usage counts twice',
  check: async evidence => {
    const rows = await evidence.rows<StoredEvent>(EVENTS);
    const reported = new Set(reports(evidence).flatMap(({ events }) => events.map(({ id }) => id)));
    const callers = new Set(evidence.stock.gatewayUsers);
    const violations: string[] = [];
    for (const [id, same] of Map.groupBy(rows, row => row.id)) {
      if (same.length > 1) violations.push(`"${id}" is stored ${same.length} times`);
      const [row] = same;
      // Another rule checks the events of the gateway.
      if (row && !reported.has(id) && !callers.has(row.user_id)) violations.push(`"${id}" was reported by nobody`);
    }
    return { examined: rows.length, violations };
  },
};

const SUMS = (table: string, which = ''): string => `
  select coalesce(sum(requests), 0)::text as requests, coalesce(sum(input_tokens), 0)::text as input,
    coalesce(sum(output_tokens), 0)::text as output, coalesce(sum(cost_usd), 0)::text as cost
  from governance.${table} where org_id = $1 ${which}`;

const ROLLUPS: readonly (readonly [name: string, sql: string])[] = [
  ['usage_hourly', SUMS('usage_hourly')],
  ['usage_daily', SUMS('usage_daily')],
  ...[15, 60, 1440].map(
    grain => [`usage_totals of ${grain} minutes`, SUMS('usage_totals', `and grain_minutes = ${grain}`)] as const,
  ),
];

/** Every rollup is the sum of the events. */
const SUMMED_UP: Rule = {
  name: 'rollups equal the raw sums',
  check: async evidence => {
    const [raw] = await evidence.rows<Record<string, string>>(SUMS('usage_events'));
    const violations: string[] = [];
    for (const [name, sql] of ROLLUPS) {
      const [sums] = await evidence.rows<Record<string, string>>(sql);
      for (const [figure, value] of Object.entries(raw ?? {})) {
        if (Number(sums?.[figure]) !== Number(value)) {
          violations.push(`${figure} in ${name} is ${sums?.[figure]}; the events add up to ${value}`);
        }
      }
    }
    return { examined: ROLLUPS.length, violations };
  },
};

export const USAGE_RULES: readonly Rule[] = [STORED, ONCE, SUMMED_UP];

function reports(evidence: Evidence): {
  op: number;
  status: number | undefined;
  answer: unknown;
  events: readonly ReportedEvent[];
}[] {
  return ofKind(evidence, 'report').map(({ op, status, answer, asked }) => {
    // The requests of the campaign's clients.
    const events = (field(asked, 'events') ?? []) as readonly ReportedEvent[];
    return { op, status, answer, events };
  });
}

function isSame(row: StoredEvent, event: ReportedEvent): boolean {
  return (
    row.user_id === event.user_id &&
    row.model === event.model &&
    Number(row.input) === event.input_tokens &&
    Number(row.output) === event.output_tokens &&
    (row.decision_id ?? '') === text(event, 'decision_id')
  );
}
