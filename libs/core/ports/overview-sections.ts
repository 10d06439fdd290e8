import type { Severity } from '../severity.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** Incidents in the overview. */
export interface OverviewIncidents {
  /** Open incidents by severity. */
  readonly open: Readonly<Record<Severity, number>>;
  /** The newest open ones of severity critical or high, at most ten. */
  readonly newest: readonly {
    readonly id: string;
    readonly type: string;
    readonly severity: Severity;
    /** Name of the violated policy, or what was unusual, in one line. */
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
  /** Deliveries of the last seven days that have failed and were not sent again. */
  readonly failed: number;
  /** The webhooks that they belong to, those with the most first, at most ten. */
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
  /** Tickets that the platform refused, or whose creation is uncertain. */
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
  /** How many have spent 80 % of their amount or more. */
  readonly above_80: number;
  /** Those of them that have spent the largest part, at most ten. */
  readonly highest: readonly OverviewBudget[];
  /** Those of the whole organization, whatever was spent. */
  readonly organization: readonly OverviewBudget[];
}

/** State of one person's budgets: their own, and their part of those that are split by user. At most 20. */
export type OverviewOwnBudgets = readonly OverviewBudget[];

/** Requests for approval in the overview. */
export interface OverviewApprovals {
  readonly waiting: number;
  /** Those that wait for the longest time, at most ten. */
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
  /** Anomalies of the last seven days without a verdict. */
  readonly unjudged: number;
  /** The newest of them, at most ten. */
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
  /** Scope that opens it. */
  readonly scope: string;
  /**
   * Reads it in a read-only transaction of the organization. Must be fast however many rows there are.
   * @param userId the user behind the credential; undefined for a credential without one
   */
  read(tx: SqlTransaction, orgId: string, now: Date, userId: string | undefined): Promise<Overview[Name]>;
}

/** Checks whether a first step is done. Provided by the library that stores the data. */
export interface OverviewStep {
  readonly name: FirstStep;
  read(tx: SqlTransaction, orgId: string): Promise<boolean>;
}

/**
 * Registry of the overview sections, which libraries contribute. The section of a library that is not composed is
 * missing.
 */
export class OverviewSections {
  private readonly all: OverviewSection[] = [];
  private readonly first: OverviewStep[] = [];

  /** The sections that were added. */
  get sections(): readonly OverviewSection[] {
    return this.all;
  }

  /** The first steps that were added. */
  get steps(): readonly OverviewStep[] {
    return this.first;
  }

  /** Adds a section; to be called while the module is initialized. */
  add<Name extends keyof Overview>(section: OverviewSection<Name>): void {
    this.all.push(section);
  }

  /** Adds a first step; to be called while the module is initialized. */
  addStep(step: OverviewStep): void {
    this.first.push(step);
  }
}
