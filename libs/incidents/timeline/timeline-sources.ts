import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';

/** Knows what became of events: libraries above this one add what they have to tell to each occurrence of a timeline. */
export interface TimelineSource {
  /** Under which name it stands in an occurrence, such as `deliveries`. Two of one name are refused. */
  readonly name: string;
  /**
   * What is known of some events, by the UUID under which they are stored; those of which nothing is known may be
   * missing. Called within a transaction of the organization that only reads, with at most 100 events. Keep it short:
   * all of it is shown.
   */
  read(em: EntityManager, orgId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject[]>>;
}

/** What a timeline shows of one event, by source. */
export type EventFacts = Record<string, JsonObject[]>;

/** Where sources of timelines are registered. */
@Injectable()
export class TimelineSources {
  private readonly sources = new Map<string, TimelineSource>();

  /** Adds a source. Call it while the module is initialized. @throws Error where the name is taken */
  add(source: TimelineSource): void {
    if (this.sources.has(source.name)) throw new Error(`Two timeline sources are named "${source.name}"; rename one.`);
    this.sources.set(source.name, source);
  }

  /** What all sources know of each event. The list of an event is empty if no source knows it. */
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
