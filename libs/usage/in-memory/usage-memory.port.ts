import type { PricedEvent } from '../ingest/priced-event.js';

/** Where usage in memory is told. */
export abstract class UsageMemory {
  /** Called before usage is taken. @throws OrganizationNotFoundError where the organization was not made */
  abstract assertOrganization(orgId: string): void;
  /** Called once for each event that was accepted, in the order in which they are sent. */
  abstract used(orgId: string, event: PricedEvent): void;
}
