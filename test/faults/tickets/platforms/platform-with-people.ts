import type { JsonObject } from '#core';
import type { PlatformEndpoint, PlatformRequest } from '../../../support/itsm/platform-endpoint.js';

/** A change of a ticket by people. */
export type PersonAction = 'start' | 'resolve' | 'decline' | 'close' | 'reopen' | 'prioritize' | 'edit' | 'move';

/** The text that people add to a title when they edit it. */
export const EDITED = ' (edited)';

/** A ticket on its platform. */
export interface PlatformTicket {
  /** The id, which never changes. */
  readonly id: string;
  readonly name: string;
  /** The key under which the service created the ticket. */
  readonly key: string;
  /** Status in the terms of the platform. */
  readonly status: string;
  readonly title: string;
  readonly isOver: boolean;
  /** Whether the ticket was ended in a way that forbids reopening it. */
  readonly isFinal: boolean;
  readonly priority: string;
  /** Texts of the service, oldest first. */
  readonly texts: readonly { readonly text: string; readonly at: number }[];
}

/** A report of the platform. */
export interface PlatformReport {
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A platform with changes by people. */
export interface PlatformWithPeople {
  readonly kind: string;
  readonly endpoint: PlatformEndpoint;
  readonly connector: { kind: string; settings: object; secrets: object };
  /**
   * The priority that the service sets for each severity. Empty if the platform shows no priorities and accepts no
   * texts.
   */
  readonly priorities: Readonly<Record<string, string>>;
  tickets(): PlatformTicket[];
  ticket(id: string): PlatformTicket | undefined;
  /** The ticket that was created last. */
  newest(): PlatformTicket | undefined;
  /**
   * Makes the change. Returns the platform's report of the change, unless `reports` returns it. Returns false if the
   * state of the ticket does not allow the change.
   */
  act(action: PersonAction, id: string): Partial<PlatformReport> | false;
  /**
   * Reports of all changes since the last call, on a platform whose tickets cannot be read. None of these reports is
   * lost.
   */
  reports?(): (PlatformReport & { readonly id: string })[];
  /** The id of the ticket in a request; undefined if the request creates or searches. */
  idOf(request: PlatformRequest): string | undefined;
  /** Whether a request changes something. */
  writes(request: PlatformRequest): boolean;
  /** Whether a request creates a ticket. */
  creates(request: PlatformRequest): boolean;
}
