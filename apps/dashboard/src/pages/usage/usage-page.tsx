import { count, money, sentence, shortCount, shortMoney } from '../../data/format.ts';
import { useUsageSeries } from '../../data/usage-series.ts';
import { periodOf, periodsIn, stackOf, tickOf } from '../../charts/usage-stack.ts';
import { StackedBars } from '../../charts/stacked-bars.tsx';
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx';
import { FilterPerson } from '../../parts/filter-person.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Empty, Failure, FilteredEmpty, Skeleton } from '../../parts/states.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { useRange } from '../../parts/use-range.ts';
import { useZone } from '../../parts/time.tsx';
import { useMay } from '../../data/scopes.ts';
import { GROUPS, METRICS, METRIC_NAMES, UNITS } from './usage-query.ts';
import { SeriesCsv } from './series-csv.tsx';
import { Totals } from './totals.tsx';
import { topOf } from './usage-rows.ts';
import { UsageTable } from './usage-table.tsx';
import { useFacets } from './use-facets.ts';

const FILTERS = ['model', 'provider', 'department', 'user_id'] as const;

/** Page of usage. Chart, table and CSV use one query. */
export function UsagePage() {
  const [filters, setFilters] = useFilters<(typeof FILTERS)[number] | 'by' | 'metric' | 'groups' | 'q' | 'sort'>();
  const range = useRange();
  const zone = useZone();
  const maySeeAll = useMay('usage:read');
  const by = oneOf(filters.by, GROUPS) ?? 'model';
  const metric = oneOf(filters.metric, METRICS) ?? 'cost_usd';
  const period = periodOf(range);
  const wantsAll = filters.groups === 'all';
  const query = {
    ...{ group_by: by, metric, period, time_zone: zone, top: topOf(wantsAll, periodsIn(range, period)) },
    ...{ start_date: range.firstDay, end_date: range.lastDay },
    ...Object.fromEntries(FILTERS.map(name => [name, filters[name]])),
  };
  const series = useUsageSeries(query);
  const facets = useFacets(maySeeAll);
  const isFiltered = FILTERS.some(name => filters[name] !== undefined);
  const clear = (): void =>
    setFilters({ model: undefined, provider: undefined, department: undefined, user_id: undefined });
  // While a new answer loads, the previous one stays. If grouping or metric have changed, the labels would not fit the
  // figures of the previous answer, so it is hidden.
  const isAnswer = series.data?.group_by[0] === by && series.data.metric === metric;
  const data = isAnswer ? series.data : undefined;
  const isMoney = metric === 'cost_usd';
  const format = isMoney ? money : count;
  return (
    <Page
      title="Usage"
      lead={`${range.name}, days in ${zone}.`}
      actions={
        data &&
        data.groups.length > 0 && <SeriesCsv query={query} name={`usage-by-${by}-${range.firstDay}-${range.lastDay}`} />
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        {/* A row of its own, so that the filters and the button that clears them fit in one row. */}
        <div className="contents md:flex md:w-full md:flex-wrap md:gap-2">
          <Segments
            label="Group by"
            value={by}
            options={GROUPS.map(each => [each, `By ${each}`] as const)}
            onChange={by => setFilters({ by: by === 'model' ? undefined : by, groups: undefined, q: undefined })}
          />
          <Segments
            label="Metric"
            value={metric}
            options={METRICS.map(each => [each, METRIC_NAMES[each]] as const)}
            onChange={metric => setFilters({ metric: metric === 'cost_usd' ? undefined : metric })}
          />
        </div>
        {(['model', 'provider', 'department'] as const).map(name => (
          <FilterSelect
            key={name}
            label={sentence(name)}
            value={filters[name]}
            options={(facets[name] ?? []).map(value => [value, value] as const)}
            onChange={value => setFilters({ [name]: value })}
          />
        ))}
        {maySeeAll && <FilterPerson id={filters.user_id} onChange={user_id => setFilters({ user_id })} />}
      </FilterBar>
      {!data && !series.error && <Skeleton label="Loading usage" />}
      {series.error && <Failure error={series.error} onRetry={() => void series.refetch()} />}
      {data &&
        data.groups.length === 0 &&
        (isFiltered ? (
          <FilteredEmpty what="calls" />
        ) : (
          <Empty title="No usage in this time range">Report usage events or send calls through the gateway.</Empty>
        ))}
      {data && data.groups.length > 0 && (
        <>
          <Totals series={data} metric={metric} by={by} readAt={series.dataUpdatedAt} />
          <Section title={`${METRIC_NAMES[metric]} by ${by}`} aside={`Per ${UNITS[period]}`}>
            <StackedBars
              label={`${METRIC_NAMES[metric]} by ${by}, ${range.name}`}
              periods={data.points.map(({ period }) => period)}
              tick={tickOf}
              series={stackOf(data)}
              format={format}
              axis={isMoney ? shortMoney : shortCount}
            />
          </Section>
          <UsageTable
            {...{ series: data, by, format, find: filters.q, sort: filters.sort ?? '-total' }}
            onChange={setFilters}
            hasAll={wantsAll}
          />
        </>
      )}
    </Page>
  );
}
