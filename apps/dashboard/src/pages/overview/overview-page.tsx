import { useMay } from '../../data/scopes.ts';
import { Page } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Attention } from './attention.tsx';
import { Budgets } from './budgets.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Movers, useMovers } from './movers.tsx';
import { useOverview } from './overview-data.ts';
import { Spend, useSpend } from './spend.tsx';

/** Overview page: what needs attention, then spending. */
export function OverviewPage() {
  const overview = useOverview();
  const mayUsage = useMay('usage:read');
  useSpend(mayUsage);
  useMovers(mayUsage);
  const { data } = overview;
  // Before the first call, there is nothing to chart, so the setup steps are shown first.
  const isNew = data?.first_steps.some(({ name, done }) => name === 'event' && !done) ?? false;
  return (
    <Page title="Overview" lead="Open items first, then spending.">
      {overview.isPending && <Skeleton label="Loading open items" />}
      {overview.error && <Failure error={overview.error} onRetry={() => void overview.refetch()} />}
      {data && (
        <div className="flex flex-col gap-8">
          {isNew && <FirstSteps steps={data.first_steps} />}
          <Attention overview={data} />
          {!isNew && <FirstSteps steps={data.first_steps} />}
          {mayUsage && !isNew && <Spend budget={data.budgets?.organization[0]} />}
          <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
            {data.budgets && <Budgets budgets={data.budgets} />}
            {mayUsage && !isNew && <Movers />}
          </div>
        </div>
      )}
    </Page>
  );
}
