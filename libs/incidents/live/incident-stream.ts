import { EventStream, type StreamAudience } from '#access';
import type { Incident } from '../incident/incident.entity.js';

/** The reader of a stream of incidents. */
export interface IncidentAudience extends StreamAudience {
  /** If set, only incidents about this user are sent. */
  readonly userId?: string | undefined;
}

/** Presents an incident in a stream. */
export type ShowIncident = (incident: Incident) => object;

/**
 * The stream of one client: changes of incidents as server-sent events. The id of an event is the version of the
 * change.
 */
export class IncidentStream extends EventStream {
  /** Every change up to this version was sent, or does not concern this client. */
  position = 0;
  private readonly userId: string | undefined;

  /** @param onDemand called when the client can take more */
  constructor(
    private readonly show: ShowIncident,
    { userId, ...audience }: IncidentAudience,
    onDemand: () => void,
  ) {
    super(audience, onDemand);
    this.userId = userId;
  }

  /**
   * Starts after a version. First sends this version as an id, so that a client can resume even before the first
   * change.
   */
  begin(position: number): void {
    this.position = position;
    this.ready(position, { position });
  }

  /** Sends changes in the order of their versions. Skips changes that were sent before. */
  offer(incidents: readonly Incident[]): void {
    for (const incident of incidents) {
      if (incident.changeVersion <= this.position) continue;
      this.position = incident.changeVersion;
      if (this.userId !== undefined && incident.userId !== this.userId) continue;
      this.send('incident', this.position, this.show(incident));
    }
  }
}
