import type { JsonObject } from '#core';
import type { PlatformEndpoint, PlatformRequest } from '../../../support/itsm/platform-endpoint.js';

/** What people do with a ticket. */
export type Deed = 'start' | 'resolve' | 'decline' | 'close' | 'reopen' | 'prioritize' | 'move';

/** A ticket as its platform has it. */
export interface PlatformTicket {
  /** Never changes. */
  readonly id: string;
  readonly name: string;
  /** The key under which the service created it. */
  readonly key: string;
  readonly isOver: boolean;
  /** Ended so that it must not be reopened. */
  readonly isFinal: boolean;
  readonly priority: string;
  /** Texts that the service added, the oldest first. */
  readonly texts: readonly { readonly text: string; readonly at: number }[];
}

/** A report as the platform sends it. */
export interface PlatformReport {
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A platform that people work on. */
export interface LivedPlatform {
  readonly kind: string;
  readonly endpoint: PlatformEndpoint;
  readonly connector: { kind: string; settings: object; secrets: object };
  /** By severity, as the service sets them. Empty if the platform shows no priority, and takes no texts. */
  readonly priorities: Readonly<Record<string, string>>;
  tickets(): PlatformTicket[];
  /**
   * Does it, and returns the report that the platform sends of it, unless `reports` has it. False where the ticket is not in
   * that state.
   */
  does(deed: Deed, id: string): Partial<PlatformReport> | false;
  /** Of a platform that cannot be asked: reports of all that changed since it was last called. Each of them arrives. */
  reports?(): PlatformReport[];
  /** Whether a request changes something; all others only read. */
  writes(request: PlatformRequest): boolean;
  /** Whether a request creates a ticket. */
  creates(request: PlatformRequest): boolean;
}
