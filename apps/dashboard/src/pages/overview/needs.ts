import { percent, plural } from '../../data/format.ts';
import { unusual } from '../../data/unusual.ts';
import type { Overview } from './overview-data.ts';

/** An entry of the attention list. */
export interface Need {
  key: string;
  /** Sort key. The entry with the lowest key is the most urgent. */
  rank: number;
  /** Name of the mark at the start of the row. */
  mark: string;
  word?: string;
  what: string;
  about: string;
  at: string;
  /** Meaning of the displayed time. */
  when: 'Last seen' | 'Began' | 'Last failed' | 'Ends' | 'Requested' | 'Detected';
  to: string;
  /** Filters of the linked page. */
  search?: Record<string, string>;
}

type Incident = NonNullable<Overview['incidents']>['newest'][number];
type Anomaly = NonNullable<Overview['anomalies']>['newest'][number];

const SEVERITY_RANK = { critical: 0, high: 2, medium: 6, low: 7 };

/** The anomaly with the day of its usage, which is often before the day of its detection. */
function withDay(anomaly: Anomaly, zone: string): string {
  const { kind, window_start: start, window_end: end } = anomaly;
  return unusual(anomaly, kind, { window: { start, end }, zone });
}

/** Combines incidents of one policy and severity in one entry, which links to the list of these incidents. */
function needOfIncidents(incidents: readonly Incident[], anomalies: readonly Anomaly[], zone: string): Need[] {
  const [first] = incidents;
  if (first === undefined) return [];
  const { id, type, severity, subject, policy_id, user_email, model, occurrences, last_seen_at } = first;
  const anomaly = anomalies.find(({ incident_id }) => incident_id === id);
  const shared = {
    key: id,
    rank: SEVERITY_RANK[severity],
    mark: severity,
    when: 'Last seen',
    at: last_seen_at,
  } as const;
  if (incidents.length > 1 && policy_id !== null) {
    const who = [...new Set(incidents.map(({ user_email }) => user_email ?? 'Organization'))];
    const others = who.length > 1 ? ` and ${plural(who.length - 1, 'other')}` : '';
    const about = `${plural(incidents.length, 'incident')} · ${who[0]}${others}`;
    return [
      { ...shared, what: subject ?? 'Policy violation', about, to: '/incidents', search: { policy_id, severity } },
    ];
  }
  const what = anomaly ? withDay(anomaly, zone) : subject;
  const about = [user_email ?? 'Organization', model, occurrences > 1 ? plural(occurrences, 'time') : null];
  return [
    {
      ...shared,
      what: what ?? (type === 'anomaly' ? 'Anomaly' : 'Policy violation'),
      about: about.filter(Boolean).join(' · '),
      to: `/incidents/${id}`,
    },
  ];
}

/** All entries of the attention list, most urgent first. Days are of the time zone. */
export function needsOf(overview: Overview, zone: string): Need[] {
  const { incidents, deliveries, connectors, budgets, approvals, anomalies } = overview;
  const shown = new Set(incidents?.newest.map(({ id }) => id));
  const alike = Map.groupBy(incidents?.newest ?? [], ({ id, policy_id, severity }) => `${policy_id ?? id} ${severity}`);
  const needs: Need[] = [
    ...[...alike.values()].flatMap(each => needOfIncidents(each, anomalies?.newest ?? [], zone)),
    ...(connectors?.failing ?? []).map(({ id, name, kind, problem_message, problem_code, problem_since }) => ({
      key: id,
      rank: 1,
      mark: 'failed',
      what: `${name} fails to open tickets`,
      about: problem_message ?? `${kind}: ${problem_code}`,
      when: 'Began' as const,
      at: problem_since,
      to: `/integrations/${id}`,
    })),
    ...(deliveries?.webhooks ?? []).map(({ id, url, description, failed, last_failed_at }) => ({
      key: id,
      rank: 3,
      mark: 'failed',
      what: `${plural(failed, 'delivery', 'deliveries')} failed`,
      about: description ?? url,
      when: 'Last failed' as const,
      at: last_failed_at,
      to: `/webhooks/${id}`,
    })),
    ...(budgets?.highest ?? []).map(({ id, name, amount_usd, spent_usd, window_end }) => {
      const isOver = spent_usd >= amount_usd;
      return {
        key: id,
        rank: isOver ? 4 : 6,
        mark: isOver ? 'high' : 'medium',
        word: isOver ? 'Exceeded' : 'Nearly exceeded',
        what: `Budget ${name}`,
        about: amount_usd > 0 ? `${percent(spent_usd / amount_usd)} used` : 'Amount is 0',
        when: 'Ends' as const,
        at: window_end,
        to: `/budgets/${id}`,
      };
    }),
    ...(approvals?.oldest ?? []).map(({ id, policy_name, user_email, model, requested_at }) => ({
      key: id,
      rank: 5,
      mark: 'pending',
      word: 'Approval',
      what: `${user_email ?? 'Someone'} requests ${model}`,
      about: policy_name,
      when: 'Requested' as const,
      at: requested_at,
      to: `/approvals/${id}`,
    })),
    ...(anomalies?.newest ?? [])
      .filter(({ incident_id }) => !shown.has(incident_id))
      .map(anomaly => ({
        key: anomaly.id,
        rank: SEVERITY_RANK[anomaly.severity] + 1,
        mark: anomaly.severity,
        what: withDay(anomaly, zone),
        about: anomaly.user_email ?? 'Organization',
        when: 'Detected' as const,
        at: anomaly.detected_at,
        to: `/incidents/${anomaly.incident_id}`,
      })),
  ];
  return needs.toSorted((a, b) => a.rank - b.rank || b.at.localeCompare(a.at));
}
