import type { Severity } from '../severity.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** Incidents in the overview. */
export interface OverviewIncidents {
  /** Open incidents by severity. */
  readonly open: Readonly<Record<Severity, number>>;
  /** The newest open incidents of severity critical or high, at most ten. */
  readonly newest: readonly {
    readonly id: string;
    readonly type: string;
    readonly severity: Severity;
    /** Name of the violated policy, or a one-line description of the anomaly. */
    readonly subject: string | null;
    readonly user_id: string | null;
    readonly user_email: string | null;
    readonly policy_id: string | null;
    readonly model: string | null;
    readonly occurrences: number;
    readonly first_seen_at: string;
    readonly last_seen_at: string;
  }[];
}

/** Webhooks in the overview. */
export interface OverviewDeliveries {
  /** Number of deliveries of the last seven days that failed and were not sent again. */
  readonly failed: number;
  /** The webhooks with the most failed deliveries, at most ten. */
  readonly webhooks: readonly {
    readonly id: string;
    readonly url: string;
    readonly description: string | null;
    readonly enabled: boolean;
    readonly failed: number;
    readonly last_failed_at: string;
  }[];
}

/** Connectors to ticket platforms in the overview. */
export interface OverviewConnectors {
  /** Active connectors with a problem that an administrator must fix, at most ten. */
  readonly failing: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly problem_code: string;
    readonly problem_message: string | null;
    readonly problem_since: string;
  }[];
  /** Number of tickets that the platform refused, or whose creation is uncertain. */
  readonly tickets_not_created: number;
}

/** A budget in the overview; money in dollars. */
export interface OverviewBudget {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly department: string | null;
  readonly user_id: string | null;
  readonly model: string | null;
  readonly period: string;
  readonly enforcement: string;
  readonly amount_usd: number;
  readonly spent_usd: number;
  readonly window_start: string;
  readonly window_end: string;
}

/** Budgets in the overview. */
export interface OverviewBudgets {
  /** Number of budgets that have spent 80 % of their amount or more. */
  readonly above_80: number;
  /** The budgets that have spent the largest part of their amount, at most ten. */
  readonly highest: readonly OverviewBudget[];
  /** The budgets of the whole organization, regardless of spending. */
  readonly organization: readonly OverviewBudget[];
}

/** Budgets of one user: the user's own budgets, and the user's part of budgets that are split by user. At most 20. */
export type OverviewOwnBudgets = readonly OverviewBudget[];

/** Requests for approval in the overview. */
export interface OverviewApprovals {
  readonly waiting: number;
  /** The oldest requests that wait for a decision, at most ten. */
  readonly oldest: readonly {
    readonly id: string;
    readonly policy_id: string;
    readonly policy_name: string;
    readonly user_id: string;
    readonly user_email: string | null;
    readonly provider: string;
    readonly model: string;
    readonly requested_at: string;
    readonly expires_at: string;
  }[];
}

/** Anomalies in the overview. */
export interface OverviewAnomalies {
  /** Number of anomalies of the last seven days without feedback. */
  readonly unjudged: number;
  /** The newest anomalies without feedback, at most ten. */
  readonly newest: readonly {
    readonly id: string;
    readonly kind: string;
    readonly severity: Severity;
    readonly user_id: string | null;
    readonly user_email: string | null;
    readonly model: string | null;
    readonly metric: string;
    readonly observed: number;
    readonly expected_high: number;
    /** Start of the period: a local day of the user, or an hour of the organization. */
    readonly window_start: string;
    /** End of the period, exclusive. */
    readonly window_end: string;
    readonly detected_at: string;
    readonly incident_id: string;
  }[];
}

/** The sections of the overview. */
export interface Overview {
  readonly incidents: OverviewIncidents;
  readonly deliveries: OverviewDeliveries;
  readonly connectors: OverviewConnectors;
  readonly budgets: OverviewBudgets;
  readonly own_budgets: OverviewOwnBudgets;
  readonly approvals: OverviewApprovals;
  readonly anomalies: OverviewAnomalies;
}

/** Setup steps of a new organization. */
export const FIRST_STEPS = ['user', 'policy', 'event', 'webhook', 'connector'] as const;

/** One of {@link FIRST_STEPS}. */
export type FirstStep = (typeof FIRST_STEPS)[number];

/** A section of the overview. Each library contributes its own. */
export interface OverviewSection<Name extends keyof Overview = keyof Overview> {
  readonly name: Name;
  /** Scope that a reader needs. */
  readonly scope: string;
  /**
   * Reads the section in a read-only transaction of the organization. Must be fast for any number of rows.
   * @param userId the user to whom the credential belongs; undefined for a credential without a user
   */
  read(tx: SqlTransaction, orgId: string, now: Date, userId: string | undefined): Promise<Overview[Name]>;
}

/** Checks whether a setup step is done. Provided by the library that stores the data. */
export interface OverviewStep {
  readonly name: FirstStep;
  read(tx: SqlTransaction, orgId: string): Promise<boolean>;
}

/**
 * Registry of the overview sections. Each library adds its own sections. Sections of libraries that are not composed
 * are missing.
 */
export class OverviewSections {
  private readonly all: OverviewSection[] = [];
  private readonly first: OverviewStep[] = [];

  /** The sections that were added. */
  get sections(): readonly OverviewSection[] {
    return this.all;
  }

  /** The setup steps that were added. */
  get steps(): readonly OverviewStep[] {
    return this.first;
  }

  /** Adds a section. Call it during module initialization. */
  add<Name extends keyof Overview>(section: OverviewSection<Name>): void {
    this.all.push(section);
  }

  /** Adds a setup step. Call it during module initialization. */
  addStep(step: OverviewStep): void {
    this.first.push(step);
  }
}
