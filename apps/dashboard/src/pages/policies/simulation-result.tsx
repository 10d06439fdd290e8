import { useState, type ReactNode } from 'react';
import { count, money, plural, sentence } from '../../data/format.ts';
import { Facts } from '../../parts/facts.tsx';
import { Email } from '../../parts/email.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Time } from '../../parts/time.tsx';
import type { Simulated } from './use-simulation.ts';

/** Result of a simulation. It begins with a sentence that sums up the result. */
export function SimulationResult({ result }: { result: Simulated }) {
  const { by_action, usage, estimated } = result;
  return (
    <div className="flex flex-col gap-5 pt-3">
      <div aria-live="polite" className="flex flex-col gap-1">
        <p className="text-lead font-medium">{headline(result)}</p>
        <p className="text-muted">
          <Time at={result.from} /> to <Time at={result.to} />: {plural(result.evaluated, 'decision')} re-evaluated
          {/* A policy that is disabled matches nothing. */}
          {(result.matched > 0 || result.changed === 0) && `, ${count(result.matched)} matched`}.
          {estimated && ' Records are sampled, so these figures are estimates.'}
        </p>
      </div>
      {result.changed > 0 && <Actions rows={by_action} />}
      {result.matched > 0 && <Groups result={result} />}
      {result.sample.length > 0 && <Sample result={result} />}
      {usage !== null && usage.requests > 0 && <Usage usage={usage} />}
    </div>
  );
}

/**
 * Past requests are evaluated with the current policies. The decision that was made at the time may have had another
 * result.
 */
function headline({ evaluated, matched, changed, newly_refused, newly_allowed, cost_usd }: Simulated): ReactNode {
  if (evaluated === 0) return 'No decisions were recorded in this period.';
  if (matched === 0 && changed === 0) return 'No matches.';
  if (changed === 0) return 'No change: every matching call keeps its result.';
  const parts = [
    newly_refused > 0 && `blocked ${plural(newly_refused, 'call')} that the current policies allow`,
    newly_allowed > 0 && `allowed ${plural(newly_allowed, 'call')} that the current policies block`,
  ].filter(Boolean);
  const what =
    parts.length === 0
      ? `changed the action of ${plural(changed, 'decision')} without blocking any`
      : parts.join(' and ');
  const cost = newly_refused === 0 ? '' : cost_usd > 0 ? ` They cost ${money(cost_usd)}.` : ' Their cost is unknown.';
  return `It would have ${what}.${cost}`;
}

function Actions({ rows }: { rows: Simulated['by_action'] }) {
  return (
    <table aria-label="Actions before and after" className="w-full border-collapse">
      <thead>
        <tr className="border-b border-ink/70">
          <Head>Action</Head>
          <Head end>Current</Head>
          <Head end>Simulated</Head>
          <Head end>Change</Head>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ action, before, after }) => (
          <tr key={action} className="h-8 border-b border-line">
            <td>
              <Mark of={action} calm={before === after} />
            </td>
            <Figure>{count(before)}</Figure>
            <Figure>{count(after)}</Figure>
            <Figure>{difference(after - before)}</Figure>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const BY = [
  ['by_user', 'People'],
  ['by_department', 'Departments'],
  ['by_model', 'Models'],
] as const;

type By = (typeof BY)[number][0];

const SHOWN = 8;

function Groups({ result }: { result: Simulated }) {
  const [by, setBy] = useState<By>('by_user');
  const [all, setAll] = useState(false);
  const rows = groups(result, by);
  const others = result.others[by];
  const shown = all ? rows : rows.slice(0, SHOWN);
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Segments label="Group by" value={by} options={BY} onChange={next => setBy(next as By)} />
      </div>
      <table aria-label={BY.find(([id]) => id === by)?.[1]} className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b border-ink/70">
            <Head>Name</Head>
            <Head end>Matched</Head>
            <Head end>Changed</Head>
            <Head end>Blocked cost</Head>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, name, matched, changed, cost_usd }) => (
            <tr key={key} className="h-8 border-b border-line">
              <td className="truncate pr-2">{name}</td>
              <Figure>{count(matched)}</Figure>
              <Figure>{count(changed)}</Figure>
              <Figure>{costOf(changed, cost_usd)}</Figure>
            </tr>
          ))}
          {(all || rows.length <= SHOWN) && others && (
            <tr className="h-8 border-b border-line text-muted">
              <td>{count(others.keys)} others</td>
              <Figure>{count(others.matched)}</Figure>
              <Figure>{count(others.changed)}</Figure>
              <Figure>{costOf(others.changed, others.cost_usd)}</Figure>
            </tr>
          )}
        </tbody>
      </table>
      {rows.length > SHOWN && (
        <button type="button" onClick={() => setAll(!all)} className="link min-h-6 self-start text-small">
          {all ? 'Show fewer' : `Show all ${count(rows.length)}`}
        </button>
      )}
    </div>
  );
}

/** A cost of 0 means that the cost is unknown: usage was not reported or has no price. */
function costOf(changed: number, cost: number): ReactNode {
  if (cost > 0) return money(cost);
  return <span className="text-muted">{changed === 0 ? '–' : 'Unknown'}</span>;
}

interface Group {
  key: string;
  name: ReactNode;
  matched: number;
  changed: number;
  cost_usd: number;
}

function groups(result: Simulated, by: By): Group[] {
  const none = (word: string): ReactNode => <span className="text-muted">{word}</span>;
  if (by === 'by_user')
    return result.by_user.map(row => ({
      ...row,
      key: row.user_id ?? '',
      name:
        row.user_id === null ? (
          none('unknown users')
        ) : (
          <PageLink to={`/users/${row.user_id}`} className="hover:underline">
            {row.user_email === null ? 'deleted user' : <Email of={row.user_email} />}
          </PageLink>
        ),
    }));
  if (by === 'by_department')
    return result.by_department.map(row => ({
      ...row,
      key: row.department ?? '',
      name: row.department === null ? none('no department') : <bdi>{row.department}</bdi>,
    }));
  return result.by_model.map(row => ({
    ...row,
    key: row.model,
    name: <bdi className="font-mono text-small">{row.model}</bdi>,
  }));
}

function Sample({ result: { sample, changed } }: { result: Simulated }) {
  return (
    <div className="flex flex-col">
      <h3 className="border-b border-ink/70 pb-1 font-medium">
        {changed > sample.length ? `Latest ${sample.length} changed decisions` : 'Changed decisions'}
      </h3>
      <ul>
        {sample.map(({ decision_id, evaluated_at, user_email, model, before, after }) => (
          <li key={decision_id} className="flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line py-1">
            <PageLink to={`/decisions/${decision_id}`} className="link">
              <Time at={evaluated_at} />
            </PageLink>
            <span className="min-w-0 flex-1 basis-40 truncate">
              {user_email === null ? 'unknown' : <Email of={user_email} />}{' '}
              <bdi className="font-mono text-small text-muted">{model}</bdi>
            </span>
            <span className="flex items-center gap-2 whitespace-nowrap">
              {sentence(before.action)} <span aria-label="becomes">→</span> <Mark of={after.action} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Result for reported usage without a decision. For it, the simulation uses the current data of the users. */
function Usage({ usage }: { usage: NonNullable<Simulated['usage']> }) {
  return (
    <div className="flex flex-col">
      <h3 className="border-b border-ink/70 pb-1 font-medium">Reported usage in the same period</h3>
      <Facts
        facts={[
          ['Days, UTC', `${usage.from} to ${usage.to}`],
          ['Requests', count(usage.requests)],
          ['From users and models it matches now', count(usage.matched_requests)],
          ['Allowed by the current policies, would be blocked', count(usage.refused_requests)],
          [
            'Their cost',
            usage.refused_cost_usd > 0
              ? money(usage.refused_cost_usd)
              : usage.refused_requests > 0
                ? 'unknown'
                : undefined,
          ],
        ]}
      />
    </div>
  );
}

function Head({ children, end = false }: { children: ReactNode; end?: boolean }) {
  return (
    <th scope="col" className={end ? 'label w-18 py-1 text-right sm:w-24' : 'label py-1 text-left'}>
      {children}
    </th>
  );
}

function Figure({ children }: { children: ReactNode }) {
  return <td className="text-right tabular-nums">{children}</td>;
}

function difference(by: number): ReactNode {
  if (by === 0) return <span className="text-muted">–</span>;
  return by > 0 ? `+${count(by)}` : `−${count(-by)}`;
}
