import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, type DecidedFor, DimensionRefusal, NO_DIMENSIONS, readDimensions } from '#core';

/**
 * Maximum number of decisions in memory, about 5 MB. Far fewer decisions are made while a record waits to be written.
 */
const REMEMBERED = 20_000;

/** The dimensions of a decision, as in its request or its record. */
export interface NotedDecision extends Omit<DecidedFor, 'project' | 'tags'> {
  readonly project: unknown;
  readonly tags: unknown;
}

/**
 * The person and dimensions of the newest allowed decisions of this process. They are needed because usage may be
 * reported before the record of its decision is written, and because some decisions are not recorded.
 */
@Injectable()
export class RecentDecisions {
  private readonly known = new LRUCache<string, { readonly orgId: string; readonly noted: NotedDecision }>(
    boundedBy(REMEMBERED),
  );

  /** Stores a decision. Call it before the response is sent. */
  note(orgId: string, id: string, noted: NotedDecision): void {
    this.known.set(id, { orgId, noted });
  }

  /** Those of the given decisions that are in memory, by id. */
  of(orgId: string, ids: readonly string[]): Map<string, DecidedFor> {
    const found = new Map<string, DecidedFor>();
    for (const id of ids) {
      const known = this.known.get(id);
      if (known?.orgId === orgId) found.set(id, decidedFor(known.noted));
    }
    return found;
  }
}

/** The person and dimensions to which usage of a decision is attributed. */
export function decidedFor({ userId, department, project, tags, tokenId }: NotedDecision): DecidedFor {
  const read = readDimensions(project, tags);
  return { userId, department, tokenId, ...(read instanceof DimensionRefusal ? NO_DIMENSIONS : read) };
}
