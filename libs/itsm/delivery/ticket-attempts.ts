import { Injectable } from '@nestjs/common';
import { Clock, messageOf, SecretUnreadableError, type Json, type JsonObject } from '#core';
import { EgressClient } from '#egress';
import { AdapterHttpError } from '../adapter/adapter-http.js';
import { attemptCreate } from '../adapter/attempt-create.js';
import { attemptUpdate } from '../adapter/attempt-update.js';
import type { CreateOutcome, TicketRef } from '../adapter/create-outcome.js';
import { changesOf, type AdapterContext, type ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { PlatformAnswerError } from '../adapter/platform-answer.js';
import { RedactedHttp } from '../adapter/redacted-http.js';
import type { TicketChange } from '../adapter/ticket-change.js';
import { oneLine } from '../adapter/ticket-text.js';
import type { RenderedTicket } from '../adapter/ticket-draft.js';
import { originsOf } from '../connectors/adapter-origins.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import type { StoredDraft } from '../tickets/ticket.entity.js';
import { REFERENCE } from '../decide/change-text.js';
import type { BreakerView } from './connector-breaker.js';
import {
  afterCreate,
  afterFailedLook,
  afterFailedSearch,
  afterInterruption,
  afterLastLook,
  afterSearch,
  type SearchFailure,
  type Standing,
  type Step,
} from '../decide/next-step.js';
import type { Progress } from '../decide/progress.js';
import { withTemplates } from '../decide/templates.js';
import { afterReopening, reopens, type EarlierTicket } from '../decide/reopening.js';
import { keptRef, Redaction } from '../decide/shown-text.js';
import { EgressAdapterHttp } from './egress-adapter-http.js';

/** A connector, with everything that an attempt needs. */
export interface ReadyConnector extends BreakerView {
  readonly kind: string;
  readonly active: boolean;
  readonly settings: JsonObject;
  readonly secrets: JsonObject | SecretUnreadableError;
}

/** A ticket to create. */
export interface DueTicket {
  readonly id: string;
  readonly draft: StoredDraft;
  /** Number of create requests whose outcome is unknown. */
  readonly unanswered: number;
  /** The ticket's id on the platform. Set if the ticket exists and is searched only for duplicates. */
  readonly externalTicketId: string | null;
  /** The ticket of the previous incident with the same key; null if there is none. */
  readonly earlier: EarlierTicket | null;
}

/** Whether a request may be sent now. */
export interface SendPermit {
  /** Records that a create request for the ticket is about to be sent. */
  toCreate(): Promise<void>;
  toSearch(): Promise<void>;
}

const NO_ADAPTER: CreateOutcome = {
  kind: 'retryable',
  message: 'This process has no adapter for the platform; it must be listed in itsmAdapters of every process.',
};

const UNREADABLE = 'The secrets of the connector cannot be read; enter them again.';

const NOTHING_SENT: Standing = { findByKey: 'none', unanswered: 0 };

/** Makes one attempt to create a ticket, and decides the next step. Does not throw errors of the adapter. */
@Injectable()
export class TicketAttempts {
  constructor(
    private readonly adapters: AdapterRegistry,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  /**
   * If the outcome of an earlier create request is unknown, searches for the ticket first. Does not search if creates
   * are idempotent on the platform, at least while the ticket is open. Calls `leave` before each create request. If
   * `leave` throws, nothing is sent, and the error is thrown to the caller.
   */
  async make(connector: ReadyConnector, ticket: DueTicket, progress: Progress, leave: SendPermit): Promise<Step> {
    const adapter = this.adapters.named(connector.kind);
    const now = () => this.clock.now();
    if (!adapter) return afterCreate(progress, NO_ADAPTER, NOTHING_SENT, now());
    const findByKey = adapter.capabilities.findByKey;
    const { unanswered, externalTicketId: known } = ticket;
    const { secrets } = connector;
    const isIdempotent = (adapter.capabilities.create ?? 'once') !== 'once';
    const isDoubtful = progress.phase === 'find' || unanswered > progress.lookedFor;
    const searches = known !== null || (isDoubtful && !isIdempotent);
    if (searches && findByKey === 'none') return afterInterruption(progress, findByKey, now());
    if (secrets instanceof SecretUnreadableError) {
      if (known !== null) return afterFailedLook(progress, { message: UNREADABLE }, now());
      return this.withoutSecrets(progress, searches);
    }
    const context = this.contextOf(adapter, connector.settings, secrets);
    const redaction = new Redaction(secrets, connector.settings);
    if (!searches && ticket.earlier && changesOf(adapter).includes('reopen') && reopens(ticket.earlier, now())) {
      await leave.toSearch();
      const outcome = await attemptUpdate(adapter, context, ticket.earlier.ref, reopeningOf(ticket));
      const step = afterReopening(progress, outcome, ticket.earlier, now());
      if (step) return redacted(step, redaction);
    }
    if (!searches) {
      const rendered = render(adapter, ticket, connector.settings);
      if (typeof rendered === 'string') {
        const unfit = { kind: 'rejected', code: 'field', message: rendered } as const;
        return redacted(afterCreate(progress, unfit, NOTHING_SENT, now()), redaction);
      }
      await leave.toCreate();
      const outcome = checked(await attemptCreate(adapter, context, rendered, ticket.id));
      const step = afterCreate(progress, outcome, { findByKey, unanswered: unanswered + 1, isIdempotent }, now());
      const settled = isIdempotent && outcome.kind === 'created' ? unanswered + 1 : 1;
      const answered = outcome.kind === 'uncertain' ? 0 : settled;
      return redacted({ ...step, result: { ...step.result, answered } }, redaction);
    }
    await leave.toSearch();
    const asked: Progress = { ...progress, phase: 'find', since: progress.since ?? now().toISOString() };
    try {
      const found = (await adapter.findByKey(context, ticket.id)).flatMap(ref => keptRef(ref) ?? []);
      const step =
        known === null
          ? afterSearch(asked, found, { findByKey, unanswered }, now())
          : afterLastLook(asked, known, found);
      return redacted(step, redaction);
    } catch (error) {
      const failed = known === null ? afterFailedSearch : afterFailedLook;
      return redacted(failed(asked, failureOf(error), now()), redaction);
    }
  }

  /** The context of an adapter call. */
  contextOf(adapter: ItsmAdapter, settings: JsonObject, secrets: JsonObject): AdapterContext<object, object> {
    const out = new EgressAdapterHttp(this.egress, originsOf(adapter, settings) ?? []);
    const http = RedactedHttp.of(adapter, out, secrets);
    return { settings, secrets, http, clock: this.clock };
  }

  private withoutSecrets(progress: Progress, searches: boolean): Step {
    if (searches) return afterFailedSearch(progress, { message: UNREADABLE }, this.clock.now());
    const refused = { kind: 'rejected', code: 'config', message: UNREADABLE } as const;
    return afterCreate(progress, refused, NOTHING_SENT, this.clock.now());
  }
}

/** Renders the ticket, or returns the reason why rendering failed. */
function render(
  adapter: ItsmAdapter,
  { id, draft, earlier }: DueTicket,
  settings: JsonObject,
): RenderedTicket<Json> | string {
  try {
    return adapter.render(
      { ...withTemplates(draft, settings), key: id, ...(earlier && { follows: earlier.ref }) },
      settings,
    );
  } catch (error) {
    return `The adapter could not render the ticket: ${messageOf(error)}`;
  }
}

/** The change that reports the new incident on the earlier ticket. The key of the change is the new ticket's id. */
function reopeningOf({ id, draft }: DueTicket): TicketChange {
  const { title, severity, link } = draft;
  const lines = [`It happened again: ${oneLine(title)}`, ...(link === null ? [] : [`Incident: ${link}`])];
  const text = [...lines, `${REFERENCE}${id}`].join('\n');
  // An earlier attempt may have been interrupted after it added the text, so `repeated` is true.
  return { kind: 'reopen', key: id, text, title, severity, severityBefore: severity, repeated: true };
}

/**
 * If the id of a created ticket cannot be stored, the outcome is uncertain: the ticket may exist and must be searched
 * for.
 */
function checked(outcome: CreateOutcome): CreateOutcome {
  if (outcome.kind !== 'created') return outcome;
  const ref: TicketRef | undefined = keptRef(outcome.ref);
  return ref
    ? { ...outcome, ref }
    : { kind: 'uncertain', message: 'The platform accepted the ticket but did not return its id.' };
}

function redacted(step: Step, redaction: Redaction): Step {
  const { error, degraded, fields, ref, ...rest } = step.result;
  return {
    ...step,
    result: {
      ...rest,
      ...(ref === undefined ? {} : { ref: redaction.ofRef(ref) }),
      ...(error === undefined ? {} : { error: redaction.of(error) }),
      ...(degraded === undefined ? {} : { degraded: degraded.slice(0, 20).map(text => redaction.of(text)) }),
      // The redaction converts strings to strings, so the type stays the same.
      ...(fields === undefined ? {} : { fields: redaction.ofFields(fields) as Record<string, string> }),
    },
  };
}

/** Shows the messages of known errors only. The message of any other error may contain secrets. */
function failureOf(error: unknown): SearchFailure {
  if (error instanceof PlatformAnswerError) return { ...error.platform, message: error.message };
  const isPlain = error instanceof AdapterHttpError;
  return { message: isPlain ? error.message : 'The adapter failed during the search for the ticket.' };
}
