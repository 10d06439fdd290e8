import { Logger } from '@nestjs/common';
import { messageOf } from '#core';
import type { Incident } from '../incident/incident.entity.js';
import type { IncidentStream } from './incident-stream.js';

/** Maximum number of changes per read. */
export const CHANGES_PER_READ = 100;

/** Interval at which the credentials of readers are checked. */
const RECHECK_MS = 500;
const RECHECKS_PER_BEAT = 30;
const RETRY_MS = 1_000;
/** Pause between two reads. It merges quick changes of an incident. */
const PAUSE_MS = 25;

/** The changes after a version, in the order of their versions, at most {@link CHANGES_PER_READ}. */
type ReadChanges = (after: number) => Promise<Incident[]>;

/** The streams of one organization in this process. They share their reads. */
export class OrganizationStreams {
  private readonly logger = new Logger('Governance');
  private readonly streams = new Set<IncidentStream>();
  private looking: NodeJS.Timeout | undefined;
  private looks = 0;
  private isWanted = false;
  private isPumping = false;

  constructor(private readonly read: ReadChanges) {}

  get size(): number {
    return this.streams.size;
  }

  /** Number of streams of one reader. */
  of(reader: string): number {
    let count = 0;
    for (const stream of this.streams) if (stream.reader === reader) count++;
    return count;
  }

  add(stream: IncidentStream): void {
    this.streams.add(stream);
    this.looking ??= setInterval(() => void this.look(), RECHECK_MS).unref();
    stream.once('close', () => this.remove(stream));
  }

  remove(stream: IncidentStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  /** Sends new changes to the streams that can take them, in the background. */
  wake(): void {
    this.isWanted = true;
    if (!this.isPumping) void this.pump();
  }

  /** Ends all streams, and waits until their clients have read the last bytes. */
  async end(): Promise<void> {
    const taken = [...this.streams].map(stream => new Promise<void>(done => stream.once('close', () => done())));
    this.each(stream => stream.end());
    await Promise.all(taken);
  }

  private each(act: (stream: IncidentStream) => void): void {
    for (const stream of [...this.streams]) act(stream);
  }

  private async look(): Promise<void> {
    const isBeat = ++this.looks % RECHECKS_PER_BEAT === 0;
    await recheck([...this.streams]);
    if (isBeat) this.each(stream => stream.beat());
  }

  private async pump(): Promise<void> {
    this.isPumping = true;
    try {
      while (this.isWanted) {
        this.isWanted = false;
        while (await this.sendNext());
        await new Promise(done => setTimeout(done, PAUSE_MS).unref());
      }
    } catch (error) {
      this.logger.warn(`Changes of incidents cannot be read for streams, and are tried again: ${messageOf(error)}`);
      setTimeout(() => this.wake(), RETRY_MS).unref();
    } finally {
      this.isPumping = false;
    }
  }

  /** Reads from the lowest position of the ready streams. Streams skip the changes that they have sent already. */
  private async sendNext(): Promise<boolean> {
    const ready = [...this.streams].filter(stream => stream.isReady);
    if (ready.length === 0) return false;
    const changes = await this.read(Math.min(...ready.map(({ position }) => position)));
    if (changes.length > 0) await recheck(ready);
    for (const stream of ready) stream.offer(changes);
    return changes.length === CHANGES_PER_READ;
  }
}

async function recheck(streams: readonly IncidentStream[]): Promise<void> {
  await Promise.all(streams.map(stream => stream.recheck()));
}
