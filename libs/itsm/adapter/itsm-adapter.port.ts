import type { Clock, Json, JsonObject } from '#core';
import type { AdapterHttp, AdapterResponse } from './adapter-http.js';
import type { CreateOutcome, TicketRef } from './create-outcome.js';
import type { InboundReport } from './inbound-report.js';
import type { InboundUpdate, TicketState } from './ticket-state.js';
import { CHANGE_KINDS, type ChangeKind, type TicketChange, type UpdateOutcome } from './ticket-change.js';
import type { RenderedTicket, TicketDraft } from './ticket-draft.js';

/** Capabilities of an adapter. The API shows them, and the ticket ledger uses them. */
export interface AdapterCapabilities {
  readonly priority: boolean;
  readonly labels: boolean;
  readonly comment: boolean;
  /**
   * Consistency of {@link ItsmAdapter.findByKey}: `strong` finds every existing ticket; `eventual` may find a new
   * ticket only after some seconds; `none` finds nothing: if it is uncertain whether a ticket was created, the ticket
   * waits for a person.
   */
  readonly findByKey: 'strong' | 'eventual' | 'none';
  /**
   * `idempotent`: for at least 25 hours, the platform creates only one ticket per key. `idempotent-while-open`: the
   * platform creates no second ticket per key while the first one is open, but does so after people have closed it.
   * With both values, the service repeats a create of unknown outcome with the same key, and never searches for the
   * ticket. Default: `once`.
   */
  readonly create?: 'once' | 'idempotent' | 'idempotent-while-open';
  /** The changes that the platform can make. Used only if the adapter has `update`. Default: all kinds of changes. */
  readonly changes?: readonly ChangeKind[];
}

/** The changes that an adapter can make. */
export function changesOf({
  update,
  capabilities,
}: Pick<ItsmAdapter, 'update' | 'capabilities'>): readonly ChangeKind[] {
  return update === undefined ? [] : (capabilities.changes ?? CHANGE_KINDS);
}

/** The context of an adapter call. */
export interface AdapterContext<Settings, Secrets> {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly http: AdapterHttp;
  readonly clock: Clock;
}

/** One check of the test of a connector. */
export interface Check {
  /** Name of the check, such as `The project exists`. */
  readonly name: string;
  readonly status: 'passed' | 'warning' | 'failed';
  /** The problem and its remedy if the check failed, otherwise the result. */
  readonly message: string;
}

/**
 * A JSON Schema (2020-12) of an object. `title` and `description` of its properties label the form. Each property has a
 * `type` or an `enum`. For a property that is an object, the form shows the object's `properties`. If the object has no
 * `properties`, the form accepts JSON.
 */
export type FormSchema = JsonObject;

/**
 * A platform on which tickets are opened. An adapter keeps no state that must outlive the process. An adapter never
 * retries by itself: the ticket ledger decides about retries and searches.
 */
export abstract class ItsmAdapter<Settings extends object = object, Secrets extends object = object> {
  /** Name of the platform, which identifies it: `servicenow`, `jira`. Stored with connectors, and used in the API. */
  abstract readonly kind: string;

  /** Display name of the platform. */
  abstract readonly title: string;

  /** Schema of the settings. The adapter gets only settings that are valid according to this schema. */
  abstract readonly settingsSchema: FormSchema;

  /**
   * Schema of the secrets, which are strings. Secrets are stored encrypted, never shown, and sent only to the {@link
   * origins}.
   */
  abstract readonly secretsSchema: FormSchema;

  /**
   * Names of the secrets that are sent in the body of a request, such as `routing_key`. All other secrets are sent in
   * headers, or in the form of a token request by `AccessTokens`, which itself hides them in the answers. The secrets
   * that are named here are never part of a rendered ticket, and are hidden in every answer. Default: none.
   */
  readonly bodySecrets?: readonly string[];

  abstract readonly capabilities: AdapterCapabilities;

  /**
   * The only origins to which the adapter sends requests, as `https://host[:port]`. If the origins change, the secrets
   * must be entered again.
   */
  abstract origins(settings: Settings): readonly string[];

  /**
   * Whether an answer is a success. In every other answer, the service hides secrets before the adapter reads it, so
   * the adapter may quote and truncate that answer. Default: status 200–299. Override this method if a failure can have
   * such a status. Pure.
   */
  isSuccess?(answer: AdapterResponse): boolean;

  /** Renders a ticket for the platform. Pure, because the preview shows the result, too. */
  abstract render(draft: TicketDraft, settings: Settings): RenderedTicket<Json>;

  /**
   * Checks whether tickets can be created with these settings. Read-only. Reports errors of the platform as failed
   * checks; does not throw for them.
   */
  abstract verify(context: AdapterContext<Settings, Secrets>): Promise<Check[]>;

  /**
   * Creates the ticket. Sends at most one create request, or one more after a 401. An exception counts as `uncertain`,
   * except that an {@link AdapterHttpError} of phase `not_sent` counts as `retryable`.
   */
  abstract create(
    context: AdapterContext<Settings, Secrets>,
    ticket: RenderedTicket<Json>,
    key: string,
  ): Promise<CreateOutcome>;

  /**
   * Finds the tickets that carry the key, the newest first.
   * @throws AdapterHttpError or Error if the platform does not answer the search
   */
  abstract findByKey(context: AdapterContext<Settings, Secrets>, key: string): Promise<TicketRef[]>;

  /**
   * The status of a ticket; null if the platform itself reports that the ticket does not exist. A 404 alone does not
   * prove that, because the platform may hide the ticket.
   * @throws AdapterHttpError or Error if the status is unknown
   */
  status?(context: AdapterContext<Settings, Secrets>, ref: TicketRef): Promise<TicketState | null>;

  /**
   * Makes one change of a ticket. Sends at most one request that adds a text. If people may have changed the ticket,
   * reads it first, and keeps a status that is already right and a priority that people chose. If `repeated` is true,
   * looks for the key of the change before it adds the text. An exception counts as `uncertain`. Only an {@link
   * AdapterHttpError} of phase `not_sent` and a {@link PlatformAnswerError} mean that nothing was changed. Without
   * `update`, tickets are never changed.
   */
  update?(context: AdapterContext<Settings, Secrets>, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome>;

  /**
   * Parses a webhook in the platform's own format; null if the body has another format. `report` contains the headers,
   * such as one with a delivery id. Pure.
   */
  mapInbound?(body: JsonObject, report: InboundReport): InboundUpdate | null;

  /**
   * Whether the platform signed a report with this secret. If the adapter defines this method, its connectors have the
   * secret `webhook_secret`. Once the secret is set, reports without a valid signature are refused. Pure.
   */
  isSigned?(report: InboundReport, secret: string): boolean;
}
