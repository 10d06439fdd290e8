import { useParams } from '@tanstack/react-router';
import { money } from '../../data/format.ts';
import { dayOf } from '../../data/time.ts';
import { useApi } from '../../data/use-api.ts';
import { useMay } from '../../data/scopes.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time, useNow, useZone } from '../../parts/time.tsx';
import { BudgetActions } from './budget-actions.tsx';
import { BudgetHistory } from './budget-history.tsx';
import { BudgetMeter, Share } from './budget-meter.tsx';
import { BudgetParts } from './budget-parts.tsx';
import { OfWhom } from '../../parts/of-whom.tsx';
import { projection, type Budget } from './standing.ts';

/** Sheet of one budget: spending, forecast and scope. */
export function BudgetSheet() {
  const { id = '' } = useParams({ strict: false });
  const budget = useApi('getBudget', { id });
  const mayWrite = useMay('budgets:write');
  const { data } = budget;
  return (
    <Sheet
      kind="Budget"
      over="/budgets"
      title={<bdi>{data?.name ?? 'Budget'}</bdi>}
      actions={data && mayWrite && <BudgetActions key={data.id} budget={data} />}
    >
      {budget.isPending && <Skeleton lines={5} />}
      {budget.error && <Failure error={budget.error} onRetry={() => void budget.refetch()} />}
      {data && <Details budget={data} />}
    </Sheet>
  );
}

function Details({ budget }: { budget: Budget }) {
  const zone = useZone();
  const now = useNow();
  const { amount_usd, spent_usd, reserved_usd, remaining_usd, enforcement, period } = budget;
  return (
    <>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-figure font-semibold tracking-[-0.02em] tabular-nums">
              {money(spent_usd ?? amount_usd)}
            </span>
            <span className="text-muted">
              {spent_usd === null ? `per ${budget.split_by ?? 'part'}` : `of ${money(amount_usd)}`}
            </span>
          </p>
          <span className="text-lead">
            <Share budget={budget} />
          </span>
        </div>
        <BudgetMeter budget={budget} tall />
        <p className="max-w-[60ch]">{projection(budget, zone, now)}</p>
      </div>
      <Section title="Current period" aside={<UsageLink budget={budget} />}>
        <Facts
          facts={[
            ['Start', <Time key="from" at={budget.window_start} />],
            ['End', <Time key="until" at={budget.window_end} />],
            ['Time zone', zone],
            ['Spent', spent_usd === null ? undefined : money(spent_usd)],
            [
              'Reserved by running calls',
              enforcement === 'block' && reserved_usd !== null ? money(reserved_usd) : undefined,
            ],
            ['Remaining', remaining_usd === null ? undefined : money(remaining_usd)],
          ]}
        />
      </Section>
      {budget.split_by && <BudgetParts budget={budget} />}
      <BudgetHistory budget={budget} />
      <Section title="Configuration">
        <Facts
          facts={[
            ['Scope', <Target key="of" budget={budget} />],
            ['Amount', `${money(amount_usd)} ${period}`],
            ['When exceeded', enforcement === 'block' ? 'Block calls' : 'Alert only'],
            ['Created', <Time key="created" at={budget.created_at} />],
            ['Updated', <Time key="updated" at={budget.updated_at} />],
            ['ID', <CopyText key="id" text={budget.id} what="budget ID" />],
          ]}
        />
      </Section>
    </>
  );
}

function Target({ budget }: { budget: Budget }) {
  const mayRead = useMay('users:read');
  const id = budget.user_id ?? '';
  const { data } = useApi('getUser', { id }, { enabled: mayRead && id !== '' });
  if (id === '') return <OfWhom of={budget} />;
  return (
    <PageLink to={`/users/${id}`} className="link">
      <bdi>{data?.name ?? id}</bdi>
    </PageLink>
  );
}

/** Link to the usage that the budget counts. */
function UsageLink({ budget: { department, user_id, model, scope, window_start } }: { budget: Budget }) {
  const mayRead = useMay('usage:read');
  const zone = useZone();
  const today = dayOf(new Date(useNow()), zone);
  // Usage cannot be filtered by a pattern, so there is no link.
  if (!mayRead || model?.includes('*') || typeof scope !== 'string') return null;
  const search = {
    range: `${dayOf(window_start, zone)}..${today}`,
    ...(department !== null && { department }),
    ...(user_id !== null && { user_id }),
    ...(model !== null && { model }),
    ...(scope === 'organization' && { by: 'department' }),
  };
  return (
    <PageLink to="/usage" search={search} className="link">
      View usage
    </PageLink>
  );
}
