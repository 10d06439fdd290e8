import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { RateLimitedError, UnavailableError, within } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Incident } from '../incident/incident.entity.js';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';
import { IncidentStream, type ShowIncident, type StreamAudience } from './incident-stream.js';
import { CHANGES_PER_READ, OrganizationStreams } from './organization-streams.js';

/** Streams of one organization that one process keeps open at the same time. */
export const STREAMS_MAX = 20;

/** Of those, one reader's: nobody takes the places of the others. */
const READER_STREAMS_MAX = 5;

const RETRY_AFTER_SECONDS = 10;
const LEAVE_MS = 1_000;
const LAST_BYTES_MS = 20;

const HEAD = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = '${INCIDENTS_TOPIC}'`;

/** From where a stream begins, and for whom. */
export interface StreamRequest extends StreamAudience {
  /** The version up to which the client knows everything; undefined for only what changes from now on. */
  readonly after?: number | undefined;
}

/**
 * Sends clients each change of an incident as it commits, on whatever replica it was made. A change is the incident as
 * it is when it is read: of several in a row the last may be all that is seen. Versions grow in the order of commits, so
 * whoever comes back with the last one they have seen, on any replica, misses nothing and gets nothing twice.
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
   * Ends all streams before the HTTP server takes leave of its clients, and gives them a moment: connections that are in
   * use then would keep it. The clients come back to another replica.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    const open = [...this.organizations.values()].filter(({ size }) => size > 0);
    if (open.length === 0) return;
    await within(LEAVE_MS, Promise.all(open.map(streams => streams.end()))).catch(() => undefined);
    // The last bytes of the answers go out in the turns after.
    await new Promise(done => setTimeout(done, LAST_BYTES_MS));
  }

  /**
   * Opens a stream of server-sent events.
   * @throws RateLimitedError where the reader, or the organization, has as many as they may have
   * @throws UnavailableError where this process is stopping
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
      // A version that is still to come was given by a database that is no more.
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
