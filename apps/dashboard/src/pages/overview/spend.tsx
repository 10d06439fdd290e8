import { useUsageSeries } from '../../data/usage-series.ts';
import { money, plural, shortMoney } from '../../data/format.ts';
import { StackedBars } from '../../charts/stacked-bars.tsx';
import { periodOf, stackOf, tickOf } from '../../charts/usage-stack.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { useZone } from '../../parts/time.tsx';
import { useRange } from '../../parts/use-range.ts';
import type { OverviewBudget } from './overview-data.ts';

const DAYS: Record<string, number> = { daily: 1, weekly: 7, monthly: 30 };

/** The average amount of a budget per bar. */
function paceOf(budget: OverviewBudget | undefined, period: string) {
  if (budget === undefined || period !== 'daily') return undefined;
  const value = budget.amount_usd / (DAYS[budget.period] ?? 30);
  return { value, name: `${budget.name}: ${money(value)} a day` };
}

/**
 * Spending in the range, by model. The overview sends all its requests before it is rendered, so that they run at the
 * same time.
 */
export function useSpend(enabled = true) {
  const range = useRange();
  const zone = useZone();
  const query = { group_by: 'model', metric: 'cost_usd', period: periodOf(range), time_zone: zone, top: 5 };
  return useUsageSeries({ ...query, start_date: range.firstDay, end_date: range.lastDay }, enabled);
}

/** Chart of the spending in the range, by model. A line shows the average amount of the organization's budget. */
export function Spend({ budget }: { budget: OverviewBudget | undefined }) {
  const range = useRange();
  const zone = useZone();
  const period = periodOf(range);
  const series = useSpend();
  const { data } = series;
  const line = paceOf(budget, period);
  return (
    <Section
      title="Spending"
      aside={
        <PageLink to="/usage" className="link">
          View usage
        </PageLink>
      }
    >
      {series.isPending && <Skeleton lines={5} label="Loading spending" />}
      {series.error && <Failure error={series.error} onRetry={() => void series.refetch()} />}
      {data && (
        <>
          <p className="flex flex-wrap items-baseline gap-x-3 pt-3">
            <span className="text-figure font-semibold tracking-[-0.02em] tabular-nums">
              {data.total === null ? 'Unknown' : money(data.total)}
            </span>
            <span className="text-muted">
              {range.name}, by model, days in {zone}
              {data.unpriced_requests > 0 && `; excludes ${plural(data.unpriced_requests, 'request')} without a price`}
            </span>
          </p>
          <StackedBars
            label={`Spending by model, ${range.name}: ${data.total === null ? 'unknown' : money(data.total)}`}
            periods={data.points.map(({ period }) => period)}
            tick={tickOf}
            series={stackOf(data)}
            format={money}
            axis={shortMoney}
            height={140}
            table="Usage shows the same figures as a table."
            {...(line && { line })}
          />
        </>
      )}
    </Section>
  );
}
