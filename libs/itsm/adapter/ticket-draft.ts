import type { JsonObject, Severity } from '#core';

/** What a ticket is to say, before a platform gives it a form. */
export interface TicketDraft {
  /**
   * By which the ticket is found again: a UUID in its usual spelling, so that it may stand in a label, a query or a field
   * as it is. Unlike any other.
   */
  readonly key: string;
  /** `[Service] <event type>: <summary>`. May hold anything that a person or a model name can hold, line breaks too. */
  readonly title: string;
  readonly severity: Severity;
  /** Words to file it under: the service, `ai-policy`, the severity. Without spaces. */
  readonly labels: readonly string[];
  /** The full payload of the event, which the description shows as JSON. */
  readonly payload: JsonObject;
  /** Where a person sees the incident; null where the service has no public address or there is no incident. */
  readonly link: string | null;
}

/** A ticket in the form of one platform. */
export interface RenderedTicket {
  /** As it will be shown, within the platform's limits. */
  readonly title: string;
  /** As a person will read it. */
  readonly description: string;
  readonly labels: readonly string[];
  /** What will be sent, whole; fields that the platform does not take for this project may still be left out of it. */
  readonly body: JsonObject;
}
