import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { EventStreams } from '#access';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Incident } from '../incident/incident.entity.js';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';
import { CHANGES_PER_READ, IncidentChanges } from './incident-changes.js';
import { IncidentStream, type IncidentAudience, type ShowIncident } from './incident-stream.js';

/** Maximum number of open streams of one organization in one process. */
export const STREAMS_MAX = 20;

const HEAD = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = '${INCIDENTS_TOPIC}'`;

/** The start position and the reader of a stream. */
export interface StreamRequest extends IncidentAudience {
  /** The last version that the client has received; undefined for new changes only. */
  readonly after?: number | undefined;
}

/**
 * Sends changes of incidents to clients as soon as they are committed, on any replica. A change contains the current
 * state of the incident, so that several quick changes may be sent as one. Versions grow in commit order. A client that
 * resumes with its last version, on any replica, therefore misses no change and receives none twice.
 */
@Injectable()
export class IncidentStreams extends EventStreams<IncidentStream> implements OnModuleInit {
  protected override readonly streamsMax = STREAMS_MAX;

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
  ) {
    super();
  }

  onModuleInit(): void {
    this.changes.subscribe(INCIDENTS_TOPIC, orgId => this.wake(orgId));
  }

  /**
   * Opens a stream of server-sent events.
   * @throws RateLimitedError if the reader or the organization has the maximum number of streams
   * @throws UnavailableError if this process is stopping
   */
  async open(
    orgId: string,
    { after, reader, userId, isStillAllowed }: StreamRequest,
    show: ShowIncident,
  ): Promise<Readable> {
    const audience = { reader, userId: userId?.toLowerCase(), isStillAllowed };
    const make = (onDemand: () => void) => new IncidentStream(show, audience, onDemand);
    return this.join(orgId, reader, make, async stream => {
      await this.changes.watch(orgId);
      const head = await this.head(orgId);
      // A version above the current one comes from an earlier state of the database, for example before a restore.
      stream.begin(Math.min(after ?? head, head));
    });
  }

  protected override sourceOf(orgId: string): IncidentChanges {
    return new IncidentChanges(after => this.read(orgId, after));
  }

  private head(orgId: string): Promise<number> {
    return this.database.transaction(orgId, async em => {
      const [row] = await sqlOf(em).query<{ version: string }>(HEAD, [orgId]);
      return Number(row?.version ?? 0);
    });
  }

  private read(orgId: string, after: number): Promise<Incident[]> {
    const page = { orderBy: { changeVersion: 'asc' }, limit: CHANGES_PER_READ } as const;
    return this.database.transaction(orgId, em => em.find(Incident, { orgId, changeVersion: { $gt: after } }, page));
  }
}
