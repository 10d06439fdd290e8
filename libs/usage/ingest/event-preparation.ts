import { Injectable } from '@nestjs/common';
import {
  DecisionDimensions,
  DimensionRefusal,
  UserDirectory,
  type DecidedFor,
  type Dimensions,
  type DirectoryUser,
  type PricingCatalog,
  type SqlTransaction,
} from '#core';
import { AttributionRegister, type StoredAttribution } from '../attribution/index.js';
import { eventFingerprint, type EventRefusal, type ParsedUsageEvent } from '../events/index.js';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import { priceEvent } from '../prices/index.js';
import { type EventCost, type PricedEvent, STATED_COST } from './priced-event.js';
import { dimensionsBy, type UsageReporter } from './usage-reporter.js';

/** A valid event and its index in the batch. */
export interface IndexedEvent {
  index: number;
  event: ParsedUsageEvent;
}

/** An event that is ready to store, and its index in the batch. */
export interface PreparedEvent {
  index: number;
  event: PricedEvent;
}

interface AttributedEvent extends IndexedEvent {
  user: DirectoryUser;
  department: string | null;
  dimensions: Dimensions;
  tokenId: string | null;
}

/** Determines the user, the attribution and the cost of events. */
@Injectable()
export class EventPreparation {
  constructor(
    private readonly users: UserDirectory,
    private readonly prices: OrganizationPrices,
    private readonly register: AttributionRegister,
    private readonly decisions: DecisionDimensions,
  ) {}

  /**
   * Returns the events that can be stored, in order. Adds all other events to `rejected`.
   * @param reporterAt who reports the event at an index of the batch
   * @param tx the transaction in which the events are stored, if it is the host's
   */
  async prepare(
    orgId: string,
    parsed: readonly IndexedEvent[],
    reporterAt: (index: number) => UsageReporter,
    rejected: (EventRefusal & { index: number })[],
    tx?: SqlTransaction,
  ): Promise<PreparedEvent[]> {
    if (parsed.length === 0) return [];
    const references = parsed.map(({ event }) => referenceOf(event));
    const [catalog, people, decided] = await Promise.all([
      this.prices.of(orgId),
      this.users.find(orgId, references),
      this.decidedFor(orgId, parsed, tx),
    ]);
    const attributed: AttributedEvent[] = [];
    for (const [at, { index, event }] of parsed.entries()) {
      const user = people[at];
      if (!user) {
        rejected.push({ index, ...unknownUser(event) });
        continue;
      }
      const purpose = purposeOf(event, user, reporterAt(index), decided);
      if (purpose instanceof DimensionRefusal) {
        rejected.push({ index, id: event.id, field: purpose.field, message: purpose.message });
      } else attributed.push({ index, event, user, ...purpose });
    }
    const attributions = await this.register.admit(
      orgId,
      attributed.map(({ event: { model, provider }, department, dimensions: { project, tags }, tokenId: token }) => {
        return { department, project, tags, tokenId: token, model, provider };
      }),
    );
    return attributed.flatMap((each, at) => {
      const attribution = attributions[at];
      return attribution ? [{ index: each.index, event: pricedEvent(each, attribution, catalog) }] : [];
    });
  }

  private async decidedFor(
    orgId: string,
    parsed: readonly IndexedEvent[],
    tx: SqlTransaction | undefined,
  ): Promise<Map<string, DecidedFor>> {
    const ids = new Set(parsed.map(({ event }) => event.decisionId).filter(id => id !== null));
    return ids.size === 0 ? new Map() : this.decisions.of(orgId, [...ids], tx);
  }
}

/** The attribution of an event. Fields that the event lacks are taken from its decision. */
function purposeOf(
  event: ParsedUsageEvent,
  user: DirectoryUser,
  reporter: UsageReporter,
  decisions: ReadonlyMap<string, DecidedFor>,
): Pick<AttributedEvent, 'department' | 'dimensions' | 'tokenId'> | DimensionRefusal {
  const decided = event.decisionId === null ? undefined : decisions.get(event.decisionId);
  const dimensions = dimensionsBy(reporter, { project: event.project, tags: event.tags }, decided);
  if (dimensions instanceof DimensionRefusal) return dimensions;
  return {
    // The user's department when the decision was made, even if the usage is reported later.
    department: decided?.userId === user.id ? decided.department : user.department,
    dimensions: { project: dimensions.project, tags: dimensions.tags },
    // The token that requested the decision, even if another token reports the usage.
    tokenId: decided?.tokenId ?? reporter.tokenId ?? null,
  };
}

function referenceOf({ userId, userEmail }: ParsedUsageEvent): { user_id?: string; user_email?: string } {
  if (userId !== null) return { user_id: userId };
  return userEmail === null ? {} : { user_email: userEmail };
}

function unknownUser({ id, userId }: ParsedUsageEvent): EventRefusal {
  const field = userId === null ? 'user_email' : 'user_id';
  return { id, field, message: 'names no user of your organization; create the user first' };
}

function pricedEvent(
  { event, user, department, dimensions, tokenId }: AttributedEvent,
  attribution: StoredAttribution,
  catalog: PricingCatalog,
): PricedEvent {
  return {
    ...event,
    ...dimensions,
    userId: user.id,
    department,
    tokenId,
    attribution,
    cost: costOf(event, catalog),
    // The fingerprint covers only the sent fields. The decision may be recorded between two attempts to send the event,
    // which would change the other fields.
    fingerprint: eventFingerprint(event),
  };
}

function costOf(event: ParsedUsageEvent, catalog: PricingCatalog): EventCost {
  if (event.costPicodollars !== null) return { picodollars: event.costPicodollars, source: STATED_COST, version: null };
  return priceEvent(catalog, event) ?? { picodollars: null, source: null, version: null };
}
