import { useUsageSeries, type UsageSeries } from '../../data/usage-series.ts';
import { count, money } from '../../data/format.ts';
import { rangeOf } from '../../data/range.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import { Facts } from '../../parts/facts.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { useNow, useZone } from '../../parts/time.tsx';

const RANGE = '30d';

/** The spending of a person in the last 30 days by model, and the number of refused calls. */
export function UserActivity({ id }: { id: string }) {
  const zone = useZone();
  const mayUsage = useMay('usage:read');
  const mayDecisions = useMay('decisions:read');
  const { firstDay, lastDay, since } = rangeOf(RANGE, zone, useNow());
  const query = { user_id: id, period: 'daily', time_zone: zone, start_date: firstDay, end_date: lastDay, top: 3 };
  const cost = useUsageSeries({ ...query, group_by: 'model', metric: 'cost_usd' }, mayUsage);
  const requests = useUsageSeries({ ...query, group_by: 'model', metric: 'requests' }, mayUsage);
  const blocked = useApi(
    'listDecisions',
    { user_id: id, action: 'block', since, limit: 100 },
    { enabled: mayDecisions },
  );
  if (!mayUsage && !mayDecisions) return null;
  const shown = (of: UsageSeries | undefined, format: (value: number) => string): string =>
    of === undefined ? '…' : of.total === null ? 'Unknown' : format(of.total);
  const models = requests.data?.groups.flatMap(({ key }) => (typeof key === 'string' ? [key] : [])) ?? [];
  return (
    <Section
      title="Last 30 days"
      aside={
        mayUsage && (
          <PageLink to="/usage" search={{ user_id: id, range: RANGE }} className="link">
            View usage
          </PageLink>
        )
      }
    >
      <Facts
        facts={[
          ['Cost', mayUsage ? shown(cost.data, money) : undefined],
          ['Requests', mayUsage ? shown(requests.data, count) : undefined],
          [
            'Most used models',
            models.length === 0 ? undefined : (
              <bdi key="models" className="font-mono text-small">
                {models.join(', ')}
              </bdi>
            ),
          ],
          [
            'Blocked calls',
            blocked.data &&
              (blocked.data.items.length === 0 ? (
                'None'
              ) : (
                <PageLink
                  key="blocked"
                  to="/decisions"
                  search={{ user_id: id, action: 'block', range: RANGE }}
                  className="link"
                >
                  {blocked.data.has_more ? 'More than 100' : count(blocked.data.items.length)}
                </PageLink>
              )),
          ],
        ]}
      />
    </Section>
  );
}
