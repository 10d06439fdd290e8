import type { UseQueryResult } from '@tanstack/react-query';
import { useRoute } from '../../data/usage-series.ts';
import type { ApiError } from '../../data/api-error.ts';

type Severity = 'critical' | 'high' | 'medium' | 'low';

/** A budget with the spending of its window. */
export interface OverviewBudget {
  id: string;
  name: string;
  period: string;
  enforcement: string;
  amount_usd: number;
  spent_usd: number;
  window_start: string;
  window_end: string;
}

/** Everything that needs attention. A section is null if the person may not read it. */
export interface Overview {
  generated_at: string;
  incidents: {
    open: Record<Severity, number>;
    newest: {
      id: string;
      type: string;
      severity: Severity;
      subject: string | null;
      user_email: string | null;
      policy_id: string | null;
      model: string | null;
      occurrences: number;
      last_seen_at: string;
    }[];
  } | null;
  deliveries: {
    failed: number;
    webhooks: { id: string; url: string; description: string | null; failed: number; last_failed_at: string }[];
  } | null;
  connectors: {
    failing: {
      id: string;
      name: string;
      kind: string;
      problem_message: string | null;
      problem_code: string;
      problem_since: string;
    }[];
    tickets_not_created: number;
  } | null;
  budgets: { above_80: number; highest: OverviewBudget[]; organization: OverviewBudget[] } | null;
  approvals: {
    waiting: number;
    oldest: { id: string; policy_name: string; user_email: string | null; model: string; requested_at: string }[];
  } | null;
  anomalies: {
    unjudged: number;
    newest: {
      id: string;
      kind: string;
      severity: Severity;
      user_email: string | null;
      metric: string;
      observed: number;
      expected_high: number;
      window_start: string;
      window_end: string;
      detected_at: string;
      incident_id: string;
    }[];
  } | null;
  first_steps: { name: 'user' | 'policy' | 'event' | 'webhook' | 'connector'; done: boolean }[];
}

/** Reads the overview. All its sections are from one database snapshot. */
export function useOverview(): UseQueryResult<Overview, ApiError> {
  return useRoute<Overview>('getOverview', 'overview');
}
