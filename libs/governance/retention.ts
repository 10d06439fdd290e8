import { defined } from '#core';
import type { Retained } from '#outbox';
import type { GovernanceOptions } from './governance.options.js';

/** Retention in days for each kind of record. Missing kinds have their default. */
export type Retention = Partial<Record<Retained, number>>;

/** The retention in the module's options. */
export function retentionOf({
  outbox,
  decisions,
  usage,
  auditRetentionDays,
  incidents,
  itsm,
}: Partial<GovernanceOptions>): Retention {
  return defined({
    events: outbox?.retentionDays,
    decisions: decisions?.retentionDays,
    usage: usage?.retentionDays,
    audit_log: auditRetentionDays,
    incidents: incidents?.retentionDays,
    tickets: itsm?.retentionDays,
  });
}
