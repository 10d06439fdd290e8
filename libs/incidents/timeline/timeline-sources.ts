import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';

/** Adds data of another library, such as deliveries, to the occurrences of a timeline. */
export interface TimelineSource {
  /** Name of the field in an occurrence, such as `deliveries`. Each name may be used by one source only. */
  readonly name: string;
  /**
   * Reads the data of events, by their UUIDs. Events without data may be omitted. Called in a read-only transaction of
   * the organization, with at most 100 events. Limit the data per event, because all of it is shown.
   */
  read(em: EntityManager, orgId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject[]>>;
}

/** The data of one event, by source. */
export type EventFacts = Record<string, JsonObject[]>;

/** The registry of timeline sources. */
@Injectable()
export class TimelineSources {
  private readonly sources = new Map<string, TimelineSource>();

  /**
   * Adds a source. Call it during module initialization.
   * @throws Error if another source has the name
   */
  add(source: TimelineSource): void {
    if (this.sources.has(source.name)) throw new Error(`Two timeline sources are named "${source.name}"; rename one.`);
    this.sources.set(source.name, source);
  }

  /** Reads the data of all sources. If a source has no data about an event, its list is empty. */
  async read(em: EntityManager, orgId: string, eventIds: readonly string[]): Promise<Map<string, EventFacts>> {
    const facts = new Map<string, EventFacts>(eventIds.map(id => [id, {}]));
    if (eventIds.length === 0) return facts;
    for (const [name, source] of this.sources) {
      const known = await source.read(em, orgId, eventIds);
      for (const [id, ofEvent] of facts) ofEvent[name] = known.get(id) ?? [];
    }
    return facts;
  }
}
