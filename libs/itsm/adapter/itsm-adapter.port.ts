import type { Clock, Json, JsonObject } from '#core';
import type { AdapterHttp, AdapterResponse } from './adapter-http.js';
import type { CreateOutcome, TicketRef } from './create-outcome.js';
import type { InboundReport } from './inbound-report.js';
import type { InboundUpdate, TicketState } from './ticket-state.js';
import { CHANGE_KINDS, type ChangeKind, type TicketChange, type UpdateOutcome } from './ticket-change.js';
import type { RenderedTicket, TicketDraft } from './ticket-draft.js';

/** Capabilities of an adapter, for the API and for the ticket ledger. */
export interface AdapterCapabilities {
  readonly priority: boolean;
  readonly labels: boolean;
  readonly comment: boolean;
  /**
   * Consistency of {@link ItsmAdapter.findByKey}: `strong` finds every existing ticket; `eventual` may find a new
   * ticket only after some seconds; `none` finds nothing, so a ticket whose creation is uncertain waits for a person.
   */
  readonly findByKey: 'strong' | 'eventual' | 'none';
  /**
   * `idempotent`: for at least 25 hours, the platform creates only one ticket per key. `idempotent-while-open`: it
   * creates no second ticket per key while the first is open, but does after people have ended that one. With both, if
   * the outcome of a create is unknown, the service repeats it with the same key and never searches. Default: `once`.
   */
  readonly create?: 'once' | 'idempotent' | 'idempotent-while-open';
  /** The changes that the platform can make. Only used if the adapter has `update`. Default: all. */
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
  /** The problem and its remedy, or the result. */
  readonly message: string;
}

/**
 * A JSON Schema (2020-12) of an object. `title` and `description` of its properties label the form. Each property has a
 * `type` or an `enum`. For an object, the form shows its `properties`; without `properties`, it takes JSON.
 */
export type FormSchema = JsonObject;

/**
 * A platform on which tickets are opened. An adapter keeps no state that must outlive the process. It never retries:
 * the ticket ledger decides about retries and searches.
 */
export abstract class ItsmAdapter<Settings extends object = object, Secrets extends object = object> {
  /** Identifies the platform: `servicenow`, `jira`. Stored with connectors and used in the API. */
  abstract readonly kind: string;

  /** Display name of the platform. */
  abstract readonly title: string;

  /** Schema of the settings. Every call of the adapter gets settings that are valid by it. */
  abstract readonly settingsSchema: FormSchema;

  /** Schema of the secrets, which are strings. They are encrypted, never shown, and sent to {@link origins} only. */
  abstract readonly secretsSchema: FormSchema;

  /**
   * Names of the secrets that are sent in the body of a request, such as `routing_key`. All others are sent in headers,
   * or in the form of a token request by `AccessTokens`, which hides them in its answers itself. The named secrets are
   * never part of a rendered ticket, and are hidden in every answer. Default: none.
   */
  readonly bodySecrets?: readonly string[];

  abstract readonly capabilities: AdapterCapabilities;

  /**
   * The only origins that the adapter calls, as `https://host[:port]`. If they change, secrets must be entered again.
   */
  abstract origins(settings: Settings): readonly string[];

  /**
   * Whether an answer is a success. The service hides secrets in all other answers before the adapter reads them, so
   * the adapter may quote and truncate those. Default: status 200–299. Override it if some failures have such a status.
   * Pure.
   */
  isSuccess?(answer: AdapterResponse): boolean;

  /** Renders a ticket for the platform. Pure: the preview shows the result. */
  abstract render(draft: TicketDraft, settings: Settings): RenderedTicket<Json>;

  /**
   * Checks whether tickets can be created with these settings. Read-only. Reports errors of the platform as failed
   * checks; does not throw for them.
   */
  abstract verify(context: AdapterContext<Settings, Secrets>): Promise<Check[]>;

  /**
   * Creates the ticket with at most one creating request, or one more after a 401. Exceptions count as `uncertain`, but an {@link
   * AdapterHttpError} of phase `not_sent` counts as `retryable`.
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
   * The status of a ticket; null if the platform itself reports that it does not exist. A 404 alone is not proof: the
   * platform may hide the ticket.
   * @throws AdapterHttpError or Error if the status is unknown
   */
  status?(context: AdapterContext<Settings, Secrets>, ref: TicketRef): Promise<TicketState | null>;

  /**
   * Makes one change of a ticket, with at most one request that adds a text. First reads the ticket if people may have
   * changed it, and keeps a status that is already right and a priority that people chose. If `repeated`, looks for the
   * key of the change before it adds the text. Exceptions count as `uncertain`, except {@link AdapterHttpError} of
   * phase `not_sent` and {@link PlatformAnswerError}: these mean that nothing was changed. Without `update`, tickets
   * are never changed.
   */
  update?(context: AdapterContext<Settings, Secrets>, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome>;

  /**
   * Parses a webhook in the platform's own format; null if the body has another format. `report` provides the headers,
   * for example for a delivery id. Pure.
   */
  mapInbound?(body: JsonObject, report: InboundReport): InboundUpdate | null;

  /**
   * Whether the platform signed a report with this secret. If defined, connectors of this kind have the secret
   * `webhook_secret`. Once it is set, reports without a valid signature are refused. Pure.
   */
  isSigned?(report: InboundReport, secret: string): boolean;
}
