import type { PricedEvent } from '../ingest/priced-event.js';

/** Receives the usage that is recorded in memory. */
export abstract class UsageMemory {
  /**
   * Called before usage is recorded.
   * @throws OrganizationNotFoundError if the organization does not exist
   */
  abstract assertOrganization(orgId: string): void;
  /** Called once for each accepted event, in the order of sending. */
  abstract used(orgId: string, event: PricedEvent): void;
}
