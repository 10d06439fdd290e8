import type { Retained } from '#outbox';
import type { GovernanceOptions } from './governance.options.js';

/** Days for which each kind of record is kept; what is left out is kept for its default. */
export type Retention = Partial<Record<Retained, number>>;

/** The days that the options of the module name. */
export function retentionOf({ outbox, decisions, usage }: Partial<GovernanceOptions>): Retention {
  return {
    ...(outbox?.retentionDays === undefined ? {} : { events: outbox.retentionDays }),
    ...(decisions?.retentionDays === undefined ? {} : { decisions: decisions.retentionDays }),
    ...(usage?.retentionDays === undefined ? {} : { usage: usage.retentionDays }),
  };
}
