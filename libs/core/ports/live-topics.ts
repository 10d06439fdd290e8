/** What can be followed as it changes. */
export const LIVE_TOPICS = [
  'incidents',
  'tickets',
  'connectors',
  'approvals',
  'policies',
  'decisions',
  'usage',
  'budgets',
  'limits',
  'prices',
  'deliveries',
  'webhooks',
  'anomalies',
  'users',
  'devices',
  'audit',
] as const;

/** A topic of the live stream. */
export type LiveTopicName = (typeof LIVE_TOPICS)[number];

/** How to see that something of a topic has changed. Told by the library that keeps it. */
export interface LiveTopic {
  readonly name: LiveTopicName;
  /** Scope that a reader needs. */
  readonly scope: string;
  /**
   * A statement of one row with one column, which differs after each change, and does not differ without one. It runs
   * about once a second while somebody follows the topic, so it must read few rows. `$1` is the organization.
   */
  readonly position: string;
  /** The same for readers who may see only what is about themselves; `$2` is the id of their user, as a text. */
  readonly own?: { readonly scope: string; readonly position: string };
  /**
   * A statement with the ids of what changed, in the column `id`, the earliest change first, at most 101 rows. Only for
   * positions that are growing whole numbers. `$1` is the organization, `$2` the position before, `$3` the user of
   * {@link own}, or null.
   */
  readonly changedSince?: string;
}

/** The topics that can be followed, told by the libraries. */
export class LiveTopics {
  private readonly topics = new Map<LiveTopicName, LiveTopic>();

  /** The topics that were added. */
  get all(): readonly LiveTopic[] {
    return [...this.topics.values()];
  }

  /** The topic of a name; undefined if its library is not included. */
  get(name: LiveTopicName): LiveTopic | undefined {
    return this.topics.get(name);
  }

  /** Adds a topic; to be called while the module is initialized. */
  add(topic: LiveTopic): void {
    this.topics.set(topic.name, topic);
  }
}
