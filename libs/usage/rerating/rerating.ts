import { ConflictError, NotFoundError } from '#core';

/** Status of a re-rating. */
export const RERATING_STATUSES = ['pending', 'running', 'done', 'failed'] as const;

/** A run that reprices stored usage. Counts and money are text, so that they stay exact. */
export interface Rerating {
  id: string;
  status: (typeof RERATING_STATUSES)[number];
  /** First day, `YYYY-MM-DD`, inclusive, UTC. */
  start_date: string;
  /** Last day, inclusive. */
  end_date: string;
  provider: string | null;
  model: string | null;
  /** Number of events in the range, without those whose cost the sender stated. */
  events_examined: string;
  /** Number of these events whose cost has changed. */
  events_adjusted: string;
  /** Change of the cost; negative if the usage became cheaper. */
  adjustment_usd: string;
  /** ISO 8601. */
  created_at: string;
  finished_at: string | null;
}

/** Range of a re-rating. */
export interface ReratingScope {
  /** `YYYY-MM-DD`, inclusive, UTC. */
  startDate: string;
  endDate: string;
  /** Name of the provider as in events, compared without case; null for every provider. */
  provider: string | null;
  /** Model name or a pattern with `*`, compared without case; null for every model. */
  model: string | null;
}

/** The organization has no re-rating with this id. */
export class ReratingNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no re-rating ${id} in your organization.`);
  }
}

/** Another re-rating of the organization is still running. */
export class ReratingUnderWayError extends ConflictError {
  constructor() {
    super('Another re-rating of your organization is under way; begin this one when its status is done or failed.');
  }
}
