import { money } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi, useList } from '../../data/use-api.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { BudgetMeter, Share } from './budget-meter.tsx';
import { shareOf, type Budget } from './standing.ts';

/** Shows the spending of each part of a split budget: a user, department, project or token. */
export function BudgetParts({ budget: { id, split_by } }: { budget: Budget }) {
  const list = useList('listBudgetParts', { id, limit: 100 });
  const { items, error, isPending, retry, hasMore } = list;
  const parts = items.toSorted((one, other) => (shareOf(other) ?? 0) - (shareOf(one) ?? 0));
  return (
    <Section title={`By ${split_by ?? 'part'}`} list={list} aside={hasMore && 'First 100 by name'}>
      {isPending && <Skeleton lines={3} />}
      {error && <Failure error={error} onRetry={retry} />}
      {!isPending && !error && items.length === 0 && <p className="py-2 text-muted">No spend in this period.</p>}
      <ul>
        {parts.map(part => (
          <li key={part.part} className="flex flex-col gap-1 border-b border-line py-2">
            <div className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate">
                <Name part={part.part} of={split_by ?? 'part'} />
              </span>
              <span className="tabular-nums">
                {money(part.spent_usd)} <span className="text-muted">of {money(part.amount_usd)}</span>
              </span>
              <span className="w-14 text-right">
                <Share budget={part} />
              </span>
            </div>
            <BudgetMeter budget={part} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Name({ part, of }: { part: string; of: string }) {
  const isUser = of === 'user' && part !== '';
  const mayRead = useMay('users:read');
  const { data } = useApi('getUser', { id: part }, { enabled: isUser && mayRead });
  if (part === '') return <span className="text-muted">no {of}</span>;
  if (!isUser) return <bdi>{part}</bdi>;
  return (
    <PageLink to={`/users/${part}`} className="hover:underline">
      <bdi>{data?.name ?? part}</bdi>
    </PageLink>
  );
}
