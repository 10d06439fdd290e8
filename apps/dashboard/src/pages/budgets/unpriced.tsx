import { CircleAlert } from 'lucide-react';
import { plural } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import { PageLink } from '../../parts/page-link.tsx';
import type { Budget } from './standing.ts';

/** Warns that real spending is higher than shown: usage without a known price adds nothing to a budget. */
export function Unpriced({ budgets }: { budgets: readonly Budget[] }) {
  const first = budgets.map(({ window_start }) => window_start).toSorted()[0];
  const mayRead = useMay('prices:read');
  const start_date = first?.slice(0, 10);
  const { data } = useApi(
    'listUnpricedModels',
    { limit: 100, ...(start_date !== undefined && { start_date }) },
    { enabled: mayRead && first !== undefined },
  );
  if (!data || data.items.length === 0) return null;
  const models = data.has_more ? 'more than 100 models' : plural(data.items.length, 'model');
  return (
    <p className="flex items-start gap-2 border-l-2 border-high bg-high-wash px-3 py-1.5">
      <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-high" />
      <span>
        Actual spend is higher than shown. No price is known for {models} used in these periods.{' '}
        <PageLink to="/prices" className="link">
          Set prices
        </PageLink>
      </span>
    </p>
  );
}
