import { recheckStreams, type StreamSource } from '#access';
import type { Incident } from '../incident/incident.entity.js';
import type { IncidentStream } from './incident-stream.js';

/** Maximum number of changes per read. */
export const CHANGES_PER_READ = 100;

/** The changes after a version, in the order of their versions, at most {@link CHANGES_PER_READ}. */
type ReadChanges = (after: number) => Promise<Incident[]>;

/** The changes that the streams of an organization send. */
export class IncidentChanges implements StreamSource<IncidentStream> {
  readonly what = 'incidents';

  constructor(private readonly read: ReadChanges) {}

  /** Reads from the lowest position of all streams. Each stream skips the changes that it has already sent. */
  async sendNext(ready: readonly IncidentStream[]): Promise<boolean> {
    const changes = await this.read(Math.min(...ready.map(({ position }) => position)));
    if (changes.length > 0) await recheckStreams(ready);
    for (const stream of ready) stream.offer(changes);
    return changes.length === CHANGES_PER_READ;
  }
}
