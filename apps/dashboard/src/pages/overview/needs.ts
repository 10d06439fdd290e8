import { percent, plural } from '../../data/format.ts';
import type { Overview } from './overview-data.ts';

/** Something that waits for a person. */
export interface Need {
  key: string;
  /** Order: the smaller, the more urgent. */
  rank: number;
  /** Name of the mark at the beginning. */
  mark: string;
  word?: string;
  what: string;
  about: string;
  at: string;
  /** Whether `at` is when it ends by itself, and not since when it is so. */
  isEnd?: boolean;
  to: string;
}

const SEVERITY_RANK = { critical: 0, high: 2, medium: 6, low: 7 };

/** Everything that waits for a person, the most urgent first, in one list. */
export function needsOf({ incidents, deliveries, connectors, budgets, approvals, anomalies }: Overview): Need[] {
  const shown = new Set(incidents?.newest.map(({ id }) => id));
  const needs: Need[] = [
    ...(incidents?.newest ?? []).map(
      ({ id, type, severity, subject, user_email, model, occurrences, last_seen_at }) => ({
        key: id,
        rank: SEVERITY_RANK[severity],
        mark: severity,
        what: subject ?? (type === 'anomaly' ? 'Anomaly' : 'Policy violation'),
        about: [user_email ?? 'organization', model, occurrences > 1 ? plural(occurrences, 'time') : null]
          .filter(Boolean)
          .join(' · '),
        at: last_seen_at,
        to: `/incidents/${id}`,
      }),
    ),
    ...(connectors?.failing ?? []).map(({ id, name, kind, problem_message, problem_code, problem_since }) => ({
      key: id,
      rank: 1,
      mark: 'failed',
      what: `${name} fails to open tickets`,
      about: problem_message ?? `${kind}: ${problem_code}`,
      at: problem_since,
      to: `/integrations/${id}`,
    })),
    ...(deliveries?.webhooks ?? []).map(({ id, url, description, failed, last_failed_at }) => ({
      key: id,
      rank: 3,
      mark: 'failed',
      what: `${plural(failed, 'delivery', 'deliveries')} failed`,
      about: description ?? url,
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
        about: amount_usd > 0 ? `${percent(spent_usd / amount_usd)} used` : 'amount is 0',
        at: window_end,
        isEnd: true,
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
      at: requested_at,
      to: `/approvals/${id}`,
    })),
    ...(anomalies?.newest ?? [])
      .filter(({ incident_id }) => !shown.has(incident_id))
      .map(({ id, severity, user_email, detected_at, incident_id }) => ({
        key: id,
        rank: SEVERITY_RANK[severity] + 1,
        mark: severity,
        what: 'Anomaly, not reviewed yet',
        about: user_email ?? 'organization',
        at: detected_at,
        to: `/incidents/${incident_id}`,
      })),
  ];
  return needs.toSorted((a, b) => a.rank - b.rank || b.at.localeCompare(a.at));
}
