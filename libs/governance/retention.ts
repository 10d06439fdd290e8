import type { Retained } from '#outbox';
import type { GovernanceOptions } from './governance.options.js';

/** Retention in days for each kind of record; missing kinds use their default. */
export type Retention = Partial<Record<Retained, number>>;

/** The retention in the module's options. */
export function retentionOf({ outbox, decisions, usage }: Partial<GovernanceOptions>): Retention {
  return {
    ...(outbox?.retentionDays === undefined ? {} : { events: outbox.retentionDays }),
    ...(decisions?.retentionDays === undefined ? {} : { decisions: decisions.retentionDays }),
    ...(usage?.retentionDays === undefined ? {} : { usage: usage.retentionDays }),
  };
}
