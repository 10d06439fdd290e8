import { useParams } from '@tanstack/react-router';
import { placeOf, unusual } from '../../data/unusual.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import type { Column } from '../../parts/data-table/columns.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Email } from '../../parts/email.tsx';
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Narrowed } from '../../parts/narrowed.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago, useNow, useZone } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { daysOf, DAYS_IDS } from './days.ts';

type Anomaly = ItemOf<'listAnomalies'>;

const DAYS = [
  ['today', 'Usage of today'],
  ['yesterday', 'Usage of yesterday'],
  ['7d', 'Usage of the last 7 days'],
  ['30d', 'Usage of the last 30 days'],
] as const;

const DAY_NAMES = Object.fromEntries(DAYS.map(([id, name]) => [id, name.toLowerCase()]));

const FEEDBACK_IDS = ['none', 'expected', 'unexpected'] as const;
const FEEDBACK = [
  ['none', 'Without feedback'],
  ['expected', 'Expected'],
  ['unexpected', 'Not expected'],
] as const;

const COLUMNS: readonly Column<Anomaly>[] = [
  {
    id: 'severity',
    head: 'Severity',
    width: 'w-24',
    wideOnly: true,
    fits: true,
    cell: ({ severity }) => <Mark of={severity} />,
  },
  {
    id: 'what',
    head: 'Anomaly',
    cell: anomaly => (
      <PageLink to={`/incidents/${anomaly.incident_id}`} keep className="font-medium">
        {unusual(anomaly, anomaly.kind)}
      </PageLink>
    ),
    below: ({ severity, user_email, window }) => (
      <>
        <Mark of={severity} /> · <Who email={user_email} /> · <Day of={window} />
      </>
    ),
  },
  { id: 'who', head: 'User', width: 'w-56', wideOnly: true, cell: ({ user_email }) => <Who email={user_email} /> },
  {
    id: 'feedback',
    head: 'Feedback',
    width: 'w-32',
    wideOnly: true,
    cell: ({ feedback }) =>
      feedback === null ? <span className="text-muted">–</span> : feedback === 'expected' ? 'Expected' : 'Not expected',
  },
  {
    id: 'day',
    head: 'Day of usage',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ window }) => <Day of={window} />,
  },
  {
    id: 'found',
    head: 'Detected',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ detected_at }) => <Ago at={detected_at} />,
  },
];

/** List of anomalies, by the day of the unusual usage. An anomaly opens the incident that counts it. */
export function AnomalyList() {
  const { id } = useParams({ strict: false });
  const [{ day, feedback, user_id }, setFilters] = useFilters<'day' | 'feedback' | 'user_id'>();
  const zone = useZone();
  // Rounded to five minutes, so that renders use the same query.
  const now = Math.floor(useNow() / 300_000) * 300_000;
  const days = oneOf(day, DAYS_IDS);
  const list = useList('listAnomalies', {
    feedback: oneOf(feedback, FEEDBACK_IDS),
    user_id,
    ...(days && daysOf(days, zone, now)),
  });
  const isFiltered = [day, feedback, user_id].some(value => value !== undefined);
  return (
    <>
      <FilterBar
        isFiltered={isFiltered}
        onClear={() => setFilters({ day: undefined, feedback: undefined, user_id: undefined })}
        list={list}
        hidesIfEmpty
        aside={<Narrowed userId={user_id} policyId={undefined} />}
      >
        <FilterSelect label="Day of usage" value={days} options={DAYS} onChange={day => setFilters({ day })} />
        <FilterSelect
          label="Feedback"
          value={oneOf(feedback, FEEDBACK_IDS)}
          options={FEEDBACK}
          onChange={feedback => setFilters({ feedback })}
        />
      </FilterBar>
      <DataTable
        caption="Anomalies"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        opened={list.items.find(({ incident_id }) => incident_id === id)?.id}
        mark={({ severity }) => severityBar(severity)}
        empty={
          days !== undefined && feedback === undefined && user_id === undefined ? (
            <Empty title={`No anomalies in the ${DAY_NAMES[days]}`}>
              Detection compares each day of a user with the user’s earlier days. Choose other days above.
            </Empty>
          ) : isFiltered ? (
            <FilteredEmpty what="anomalies" />
          ) : (
            <Empty title="No anomalies yet">Detection compares each day of a user with the user’s earlier days.</Empty>
          )
        }
      />
    </>
  );
}

function Who({ email }: { email: string | null }) {
  return email === null ? <span className="text-muted">Organization</span> : <Email of={email} />;
}

/** The local day of a user, or the hour of the organization. */
function Day({ of }: { of: Anomaly['window'] }) {
  return <>{placeOf({ window: of, zone: useZone() })}</>;
}
