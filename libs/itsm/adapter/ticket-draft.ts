import type { Json, JsonObject, Severity } from '#core';
import type { TicketRef } from './create-outcome.js';

/** The content of a ticket, independent of the platform. */
export interface TicketDraft {
  /**
   * Unique key with which the ticket is found on the platform. It is a canonical UUID, so it needs no escaping in
   * labels, queries and fields.
   */
  readonly key: string;
  /**
   * `[Service] <event type>: <summary>`. It contains names of people and models, and may therefore contain any
   * character, even line breaks.
   */
  readonly title: string;
  readonly severity: Severity;
  /** Labels: the service, `ai-policy` and the severity. They contain no spaces. */
  readonly labels: readonly string[];
  /** The full payload of the event. The description shows it as JSON. */
  readonly payload: JsonObject;
  /** URL of the incident for people; null if the service has no public address or there is no incident. */
  readonly link: string | null;
  /**
   * Text for the beginning of the description: the facts in words, or the connector's template. It is plain text, so
   * escape it as the platform requires. It may have several lines and contain any characters.
   */
  readonly text?: string;
  /** The ticket of an earlier incident with the same cause; the description names it. */
  readonly follows?: TicketRef;
}

/** A sample ticket. Platforms that can validate a ticket without creating it validate this one. */
export const SAMPLE_DRAFT: TicketDraft = {
  ...{ key: '00000000-0000-4000-8000-000000000000', title: 'Test of the connector', severity: 'low', labels: [] },
  ...{ payload: {}, link: null },
};

/** A ticket, rendered for one platform. `Body` is the JSON that the platform accepts. */
export interface RenderedTicket<Body extends Json = JsonObject> {
  /** The title, within the platform's limits. */
  readonly title: string;
  /** The description as plain text. */
  readonly description: string;
  readonly labels: readonly string[];
  /** The full request body. Before the adapter sends it, it removes fields that the project does not accept. */
  readonly body: Body;
}
