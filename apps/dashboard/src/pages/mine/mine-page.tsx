import { count, money, shortMoney } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import { useUsageSeries } from '../../data/usage-series.ts';
import { useMay, useMe } from '../../data/scopes.ts';
import { Meter } from '../../charts/meter.tsx';
import { StackedBars } from '../../charts/stacked-bars.tsx';
import { periodOf, stackOf, tickOf } from '../../charts/usage-stack.ts';
import { Page, Section } from '../../parts/page.tsx';
import { SpentOf } from '../../parts/spent-of.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import { useRange } from '../../parts/use-range.ts';
import { MyDevices, MyRequests } from './my-lists.tsx';

/** Page of the signed-in person: usage, budgets, access requests, grants and devices. */
export function MinePage() {
  const { user } = useMe();
  const range = useRange();
  const [mayRequests, mayDevices] = [
    useMay('approvals:read', 'approvals:read:own'),
    useMay('devices:read', 'devices:read:own'),
  ];
  return (
    <Page title="My usage" lead={`${user?.name ?? 'You'}, ${range.name.toLowerCase()}.`}>
      <div className="flex flex-col gap-8">
        <MySpend />
        <MyBudgets />
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
          {mayRequests && <MyRequests />}
          {mayDevices && <MyDevices />}
        </div>
      </div>
    </Page>
  );
}

function MySpend() {
  const { user } = useMe();
  const range = useRange();
  const zone = useZone();
  const series = useUsageSeries({
    ...{ group_by: 'model', metric: 'cost_usd', period: periodOf(range), time_zone: zone, top: 5 },
    ...{ start_date: range.firstDay, end_date: range.lastDay, user_id: user?.id },
  });
  const { data } = series;
  return (
    <Section title="Spending" aside={`Days in ${zone}`}>
      {series.isPending && <Skeleton lines={5} label="Loading spending" />}
      {series.error && <Failure error={series.error} onRetry={() => void series.refetch()} />}
      {data && data.groups.length === 0 && <p className="py-3 text-muted">No usage in this time range.</p>}
      {data && data.groups.length > 0 && (
        <>
          <p className="flex flex-wrap items-baseline gap-x-3 pt-3">
            <span className="text-figure font-semibold tracking-[-0.02em] tabular-nums">
              {data.total === null ? 'Unknown' : money(data.total)}
            </span>
            <span className="text-muted">
              By model
              {data.unpriced_requests > 0 && `; excludes ${count(data.unpriced_requests)} requests without a price`}
            </span>
          </p>
          <StackedBars
            label={`My spending by model, ${range.name}: ${data.total === null ? 'unknown' : money(data.total)}`}
            periods={data.points.map(({ period }) => period)}
            tick={tickOf}
            series={stackOf(data)}
            format={money}
            axis={shortMoney}
          />
        </>
      )}
    </Section>
  );
}

function MyBudgets() {
  const { data, error, isPending, refetch } = useApi('getOverview', {});
  const budgets = data?.own_budgets ?? [];
  return (
    <Section title="Budgets">
      {isPending && <Skeleton label="Loading budgets" />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && budgets.length === 0 && <p className="py-3 text-muted">No budget applies to you alone.</p>}
      <ul>
        {budgets.map(({ id, name, period, amount_usd, spent_usd, window_end, enforcement }) => (
          <li key={id} className="flex flex-col gap-1 border-b border-line py-2">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <bdi className="min-w-0 flex-1 truncate font-medium">{name}</bdi>
              <span className="text-muted max-sm:hidden">
                {period}, resets <Time at={window_end} day />
              </span>
              <SpentOf spent={spent_usd} amount={amount_usd} />
            </div>
            <Meter spent={spent_usd} amount={amount_usd} label={name} />
            {enforcement === 'block' && spent_usd >= amount_usd && (
              <p className="text-small text-critical">Your calls are blocked until the budget resets.</p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
