import { Injectable } from '@nestjs/common';
import { isStorableText, type JsonObject, NotFoundError, type ServiceTier, type SqlTransaction } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';

/** The organization has no usage event with this id. */
export class UsageEventNotFoundError extends NotFoundError {
  constructor() {
    super('There is no usage event with this id in your organization.');
  }
}

/** A usage event as it is stored. Counts and money are text, so that they stay exact. */
export interface StoredUsageEvent {
  id: string;
  user_id: string;
  provider: string;
  model: string;
  occurred_at: string;
  received_at: string;
  input_tokens: string;
  output_tokens: string;
  cache_read_tokens: string;
  cache_write_tokens: string;
  reasoning_tokens: string;
  requests: string;
  service_tier: ServiceTier;
  region: string | null;
  /** Null if the model had no known price. */
  cost_usd: string | null;
  /** The cost before discounts. */
  list_cost_usd: string | null;
  price_source: string | null;
  price_version: string | null;
  decision_id: string | null;
  /** The user's department when the usage happened. */
  department: string | null;
  project: string | null;
  tags: Record<string, string> | null;
  /** The access token that made the usage, or else the one that reported it. */
  token_id: string | null;
  /** Other billed units, such as searches. */
  units: JsonObject | null;
  metadata: JsonObject | null;
}

type Objects = 'units' | 'metadata' | 'tags';
type EventRow = Omit<StoredUsageEvent, Objects> & Record<Objects, string | null>;

const instant = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;

// The key row contains the time of the event. With it, PostgreSQL reads only the partition of that month, by its
// primary key.
const FIND = `
select id, user_id, provider, model, ${instant('occurred_at')}, ${instant('received_at')},
  input_tokens::text, output_tokens::text, cache_read_tokens::text, cache_write_tokens::text, reasoning_tokens::text,
  requests::text, coalesce(service_tier, 'standard') as service_tier, region, cost_usd::text, coalesce(list_cost_usd, cost_usd)::text as list_cost_usd, price_source, price_version, decision_id, department, project, tags::text,
  token_id, units::text, metadata::text
from ${SCHEMA}.usage_events where org_id = $1 and id = $2 and occurred_at = (
  select k.occurred_at from ${SCHEMA}.usage_event_keys k where k.org_id = $1 and k.id = $2)`;

/** Reads single usage events. */
@Injectable()
export class StoredUsageEvents {
  constructor(private readonly database: OrgDatabase) {}

  /** @throws UsageEventNotFoundError */
  async get(orgId: string, id: string): Promise<StoredUsageEvent> {
    const event = await this.database.transaction(orgId, em => this.findWithin(sqlOf(em), orgId, id));
    if (!event) throw new UsageEventNotFoundError();
    return event;
  }

  /** Reads an event in a running transaction of the organization; undefined if there is no such event. */
  async findWithin(tx: SqlTransaction, orgId: string, id: string): Promise<StoredUsageEvent | undefined> {
    // PostgreSQL refuses a parameter whose text it cannot store. No event id contains such a text.
    if (!isStorableText(id)) return undefined;
    const [row] = await tx.query<EventRow>(FIND, [orgId, id]);
    return row && { ...row, units: objectIn(row.units), tags: tagsIn(row.tags), metadata: objectIn(row.metadata) };
  }
}

/** Ingestion has written this value. */
function objectIn(text: string | null): JsonObject | null {
  return text === null ? null : (JSON.parse(text) as JsonObject);
}

function tagsIn(text: string | null): Record<string, string> | null {
  // Ingestion writes only texts as values of tags.
  return text === null ? null : (JSON.parse(text) as Record<string, string>);
}
