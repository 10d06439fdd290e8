import { field, type Evidence } from './evidence.js';
import type { Rule } from './rule.js';

interface Sums {
  requests: number;
  input: number;
  output: number;
  cost: number;
}

const RAW = `
select sum(requests)::float8 as requests, sum(input_tokens)::float8 as input, sum(output_tokens)::float8 as output,
  sum(cost_usd)::float8 as cost from governance.usage_events where org_id = $1`;

const FIGURES = {
  requests: 'total_requests',
  input: 'total_input_tokens',
  output: 'total_output_tokens',
  cost: 'estimated_cost_usd',
} as const;
/** Reports contain dollars as numbers, so their sum is rounded. */
const COST_EPSILON = 1e-6;

const REPORTED: Rule = {
  name: 'reports equal the raw sums',
  check: async evidence => {
    const [raw] = await evidence.rows<Sums>(RAW);
    if (!raw) return { examined: 0, violations: [] };
    const { usage, breakdown } = evidence.stock;
    const violations = [
      ...differences('GET /v1/usage', raw, name => usage.reduce((sum, row) => sum + Number(row[name]), 0)),
      ...differences('GET /v1/usage/breakdown', raw, name => Number(field(field(breakdown, 'totals'), name))),
    ];
    return { examined: usage.length, violations };
  },
};

const OPEN = `
select severity, count(*)::int as n from governance.incidents where org_id = $1 and status = 'open' group by severity`;
const FAILED = `
select count(*)::int as n from governance.webhook_deliveries where org_id = $1 and status = 'failed'`;
const WAITING = `
select count(*)::int as n from governance.approvals where org_id = $1 and status = 'pending'`;
const SPENT = `
select b.id, coalesce(sum(w.spent_usd), 0)::float8 as spent from governance.budgets b
left join governance.budget_windows w on w.org_id = b.org_id and w.budget_id = b.id where b.org_id = $1 group by b.id`;

/** The figures of the dashboard's first page and of its budgets. */
const OVERVIEW: Rule = {
  name: 'dashboard figures equal the raw sums',
  check: async evidence => {
    const { overview, budgets } = evidence.stock;
    const open = await evidence.rows<{ severity: string; n: number }>(OPEN);
    const shown = field(field(overview, 'incidents'), 'open');
    const pairs: [what: string, shown: number, counted: number][] = [
      ...open.map(
        ({ severity, n }) =>
          [`open incidents, ${severity}`, Number(field(shown, severity)), n] as [string, number, number],
      ),
      ['failed deliveries', Number(field(field(overview, 'deliveries'), 'failed')), await countOf(evidence, FAILED)],
      ['waiting approvals', Number(field(field(overview, 'approvals'), 'waiting')), await countOf(evidence, WAITING)],
    ];
    const spent = new Map(
      (await evidence.rows<{ id: string; spent: number }>(SPENT)).map(({ id, spent: usd }) => [id, usd]),
    );
    for (const budget of budgets) {
      pairs.push([
        `spent of ${String(budget['name'])}`,
        Number(budget['spent_usd']),
        spent.get(String(budget['id'])) ?? 0,
      ]);
    }
    const wrong = pairs.filter(([, told, counted]) => !(Math.abs(told - counted) <= COST_EPSILON));
    return {
      examined: pairs.length,
      violations: wrong.map(([what, told, counted]) => `${what}: ${told} is shown, ${counted} is there`),
    };
  },
};

export const REPORT_RULES: readonly Rule[] = [REPORTED, OVERVIEW];

function differences(where: string, raw: Sums, told: (name: string) => number): string[] {
  return Object.entries(FIGURES).flatMap(([figure, name]) => {
    const [sum, value] = [raw[figure as keyof Sums], told(name)];
    const isEqual = figure === 'cost' ? Math.abs(sum - value) <= COST_EPSILON : sum === value;
    return isEqual ? [] : [`${where}: ${name} is ${value}; the events add up to ${sum}`];
  });
}

async function countOf(evidence: Evidence, sql: string): Promise<number> {
  const [row] = await evidence.rows<{ n: number }>(sql);
  return row?.n ?? 0;
}
