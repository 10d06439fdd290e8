import { Injectable } from '@nestjs/common';
import type { LiveTopic, LiveTopicName, SqlTransaction } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { NAMED_MAX, type FollowedTopic } from './topic-stream.js';

/** Positions of topics. */
export type Positions = ReadonlyMap<LiveTopicName, string>;

/** Reads the positions of topics. */
@Injectable()
export class TopicPositions {
  constructor(private readonly database: OrgDatabase) {}

  /**
   * The current positions of topics, read in one statement.
   * @param userId the user, for topics in which only the user's own records are followed
   */
  async of(orgId: string, followed: readonly FollowedTopic[], userId: string | undefined): Promise<Positions> {
    const positions = new Map<LiveTopicName, string>();
    const all = followed.filter(({ isOwn }) => !isOwn).map(({ topic }) => ({ name: topic.name, sql: topic.position }));
    const own = followed.flatMap(({ topic, isOwn }) =>
      isOwn && topic.own ? [{ name: topic.name, sql: topic.own.position }] : [],
    );
    await this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      for (const row of await read(tx, all, [orgId])) positions.set(row.name, row.position);
      for (const row of await read(tx, own, [orgId, userId])) positions.set(row.name, row.position);
    });
    return positions;
  }

  /** Ids of the records of a topic that changed since a version, in the order of the changes. */
  async changed(orgId: string, topic: LiveTopic, since: number, userId: string | undefined): Promise<string[]> {
    const { changedSince } = topic;
    if (changedSince === undefined) return [];
    const rows = await this.database.transaction(orgId, em =>
      sqlOf(em).query<{ id: string }>(changedSince, [orgId, since, userId ?? null]),
    );
    return rows.slice(0, NAMED_MAX + 1).map(({ id }) => id);
  }
}

interface Statement {
  readonly name: LiveTopicName;
  readonly sql: string;
}

function read(
  tx: SqlTransaction,
  statements: readonly Statement[],
  parameters: unknown[],
): Promise<{ name: LiveTopicName; position: string }[]> {
  if (statements.length === 0) return Promise.resolve([]);
  const parts = statements.map(({ name, sql }) => `select '${name}' as name, coalesce((${sql})::text, '') as position`);
  return tx.query(parts.join('\nunion all\n'), parameters);
}
