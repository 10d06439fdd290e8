import type { UsageSeries } from '../../data/usage-series.ts';
import { count, money, plural } from '../../data/format.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Time } from '../../parts/time.tsx';

const NAMES: Record<string, string> = { cost_usd: 'Estimated cost', requests: 'Requests', tokens: 'Tokens' };

/** The total of the filtered usage, computed by the server. */
export function Totals({
  series: { total, unpriced_requests, groups, other },
  metric,
  by,
  readAt,
}: {
  series: UsageSeries;
  metric: string;
  by: string;
  /** Time of the answer in milliseconds. Usage grows, so two totals of the same range may differ. */
  readAt: number;
}) {
  const shown = groups.length + (other?.groups ?? 0);
  return (
    <div className="flex flex-wrap items-end gap-x-10 gap-y-3">
      <div>
        <p className="label">{NAMES[metric] ?? metric}</p>
        <p className="text-figure font-semibold tracking-[-0.02em] tabular-nums">
          {total === null ? 'Unknown' : metric === 'cost_usd' ? money(total) : count(total)}
        </p>
      </div>
      <div className="pb-1 text-muted">
        <p>
          {plural(shown, by)} in total, as of <Time at={new Date(readAt).toISOString()} seconds />.
        </p>
        {unpriced_requests > 0 && (
          <p>
            <PageLink to="/prices" className="link">
              {plural(unpriced_requests, 'request')} without a price
            </PageLink>{' '}
            {metric === 'cost_usd' ? 'not included in the cost.' : 'among them.'}
          </p>
        )}
      </div>
    </div>
  );
}
