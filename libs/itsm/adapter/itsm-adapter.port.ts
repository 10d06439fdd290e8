import type { Clock, JsonObject } from '#core';
import type { AdapterHttp } from './adapter-http.js';
import type { CreateOutcome, TicketRef } from './create-outcome.js';
import type { InboundUpdate, TicketState } from './ticket-state.js';
import type { RenderedTicket, TicketDraft } from './ticket-draft.js';

/** What an adapter may do on its platform, for those who choose and for the ledger. */
export interface AdapterCapabilities {
  readonly priority: boolean;
  readonly labels: boolean;
  readonly comment: boolean;
  /**
   * How {@link ItsmAdapter.findByKey} sees: `strong` finds what was created before it was asked; `eventual` may find it
   * some seconds later only; `none` never finds anything, and a ticket whose creation is uncertain waits for a person.
   */
  readonly findByKey: 'strong' | 'eventual' | 'none';
}

/** What a call of an adapter works with. */
export interface AdapterContext<Settings, Secrets> {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly http: AdapterHttp;
  readonly clock: Clock;
}

/** One thing that was looked at when a connector is tested. */
export interface Check {
  /** What was looked at, such as `The project exists`. */
  readonly name: string;
  readonly status: 'passed' | 'warning' | 'failed';
  /** What is wrong and what to do about it, or what was found. */
  readonly message: string;
}

/** A JSON Schema (2020-12) of an object of texts; `title` and `description` of its properties label the form. */
export type FormSchema = JsonObject;

/**
 * A platform on which tickets are opened. An adapter keeps nothing that must outlive the process, and decides nothing
 * about repetition: when to try again, what to look for and what is known of a ticket is the ledger's.
 */
export abstract class ItsmAdapter<Settings extends object = object, Secrets extends object = object> {
  /** Which platform: `servicenow`, `jira`. Stands in stored connectors and in the API. */
  abstract readonly kind: string;

  /** Its name for people. */
  abstract readonly title: string;

  /** What a connector is set up with; settings that do not fit never reach the adapter. */
  abstract readonly settingsSchema: FormSchema;

  /** What is sealed, shown to nobody and sent to {@link origins} only. */
  abstract readonly secretsSchema: FormSchema;

  abstract readonly capabilities: AdapterCapabilities;

  /** The only places it calls, as `https://host[:port]`. A connector whose origins change must be given its secrets anew. */
  abstract origins(settings: Settings): readonly string[];

  /** The form that the platform gives a ticket. Pure: the preview shows what it returns. */
  abstract render(draft: TicketDraft, settings: Settings): RenderedTicket;

  /** Looks whether tickets can be created with these settings. Reads only. Does not throw for what the platform answers. */
  abstract verify(context: AdapterContext<Settings, Secrets>): Promise<Check[]>;

  /**
   * Creates the ticket, by at most one request that creates. What it throws counts as `uncertain`, an
   * {@link AdapterHttpError} of phase `not_sent` as `retryable`.
   */
  abstract create(
    context: AdapterContext<Settings, Secrets>,
    ticket: RenderedTicket,
    key: string,
  ): Promise<CreateOutcome>;

  /** The tickets that carry the key, the newest first. @throws AdapterHttpError or Error where the platform does not say */
  abstract findByKey(context: AdapterContext<Settings, Secrets>, key: string): Promise<TicketRef[]>;

  /**
   * Where a ticket stands on the platform; null where the platform says that it has none, or shows none.
   * @throws AdapterHttpError or Error where it does not say
   */
  status?(context: AdapterContext<Settings, Secrets>, ref: TicketRef): Promise<TicketState | null>;

  /** Reads the platform's own webhook; null where the body is none of its. Pure. */
  mapInbound?(body: JsonObject): InboundUpdate | null;
}
