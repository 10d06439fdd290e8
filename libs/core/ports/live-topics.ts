/** Topics of the live stream. */
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

/** Detects changes of a topic. Provided by the library that stores the data. */
export interface LiveTopic {
  readonly name: LiveTopicName;
  /** Scope that a reader needs. */
  readonly scope: string;
  /**
   * An SQL statement that returns one value. The value must change if and only if the topic changes. The statement runs
   * about once a second while a client follows the topic, so it must read few rows. `$1` is the organization.
   */
  readonly position: string;
  /** The same for readers who may only see their own data. `$2` is their user id, as text. */
  readonly own?: { readonly scope: string; readonly position: string };
  /**
   * An SQL statement that returns the changed ids in the column `id`, in the order of the changes, at most 101 rows.
   * Possible only if the positions are increasing integers. `$1` is the organization, `$2` the previous position, `$3`
   * the user of {@link own}, or null.
   */
  readonly changedSince?: string;
}

/** Registry of topics. Each library adds its own. */
export class LiveTopics {
  private readonly topics = new Map<LiveTopicName, LiveTopic>();

  /** The topics that were added. */
  get all(): readonly LiveTopic[] {
    return [...this.topics.values()];
  }

  /** The topic with this name; undefined if its library is not composed. */
  get(name: LiveTopicName): LiveTopic | undefined {
    return this.topics.get(name);
  }

  /** Adds a topic. Call it during module initialization. */
  add(topic: LiveTopic): void {
    this.topics.set(topic.name, topic);
  }
}
