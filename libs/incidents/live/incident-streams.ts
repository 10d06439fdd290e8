import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { RateLimitedError, UnavailableError, within } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Incident } from '../incident/incident.entity.js';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';
import { IncidentStream, type ShowIncident, type StreamAudience } from './incident-stream.js';
import { CHANGES_PER_READ, OrganizationStreams } from './organization-streams.js';

/** Maximum number of open streams of one organization in one process. */
export const STREAMS_MAX = 20;

/** Maximum number of open streams of one reader, so that nobody uses all of them. */
const READER_STREAMS_MAX = 5;

const RETRY_AFTER_SECONDS = 10;
const LEAVE_MS = 1_000;
const LAST_BYTES_MS = 20;

const HEAD = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = '${INCIDENTS_TOPIC}'`;

/** The start and the reader of a stream. */
export interface StreamRequest extends StreamAudience {
  /** The last version that the client has; undefined for new changes only. */
  readonly after?: number | undefined;
}

/**
 * Sends clients the changes of incidents as they commit, on any replica. A change shows the incident in its current
 * state, so several quick changes may be sent as one. Versions grow in commit order, so a client that resumes with its
 * last version, on any replica, misses no change and gets none twice.
 */
@Injectable()
export class IncidentStreams implements OnModuleInit, BeforeApplicationShutdown {
  private readonly organizations = new Map<string, OrganizationStreams>();
  private isClosed = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  onModuleInit(): void {
    this.changes.subscribe(INCIDENTS_TOPIC, orgId => this.organizations.get(orgId)?.wake());
  }

  /**
   * Ends all streams before the HTTP server closes, because open connections would delay it. Clients reconnect to another
   * replica.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    const open = [...this.organizations.values()].filter(({ size }) => size > 0);
    if (open.length === 0) return;
    await within(LEAVE_MS, Promise.all(open.map(streams => streams.end()))).catch(() => undefined);
    // The last bytes are written in later ticks of the event loop.
    await new Promise(done => setTimeout(done, LAST_BYTES_MS));
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
    if (this.isClosed) throw new UnavailableError('This process is stopping; come back in a moment.');
    const streams = this.streamsOf(orgId);
    if (streams.of(reader) >= READER_STREAMS_MAX) {
      throw new RateLimitedError(
        `You have ${READER_STREAMS_MAX} streams open already; close one.`,
        RETRY_AFTER_SECONDS,
      );
    }
    if (streams.size >= STREAMS_MAX) {
      throw new RateLimitedError(
        `Your organization has ${STREAMS_MAX} streams open already; close one.`,
        RETRY_AFTER_SECONDS,
      );
    }
    const audience = { reader, userId: userId?.toLowerCase(), isStillAllowed };
    const stream = new IncidentStream(show, audience, () => streams.wake());
    streams.add(stream);
    try {
      await this.changes.watch(orgId);
      const head = await this.head(orgId);
      // A version from the future comes from a former database, such as before a restore.
      stream.begin(Math.min(after ?? head, head));
    } catch (error) {
      stream.destroy();
      throw error;
    }
    streams.wake();
    if (this.isClosed) stream.end();
    return stream;
  }

  private streamsOf(orgId: string): OrganizationStreams {
    const found = this.organizations.get(orgId);
    if (found) return found;
    const streams = new OrganizationStreams(after => this.read(orgId, after));
    this.organizations.set(orgId, streams);
    return streams;
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
