import { Injectable } from '@nestjs/common';
import { Clock, messageOf, SecretUnreadableError, type JsonObject } from '#core';
import { EgressClient } from '#egress';
import { AdapterHttpError } from '../adapter/adapter-http.js';
import { attemptCreate } from '../adapter/attempt-create.js';
import type { CreateOutcome, TicketRef } from '../adapter/create-outcome.js';
import type { AdapterContext, ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { RedactedHttp } from '../adapter/redacted-http.js';
import { SecretFilter } from '../adapter/secret-filter.js';
import type { RenderedTicket } from '../adapter/ticket-draft.js';
import { originsOf } from '../connectors/adapter-origins.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import type { StoredDraft } from '../tickets/ticket.entity.js';
import type { BreakerView } from './connector-breaker.js';
import { afterCreate, afterFailedSearch, afterInterruption, afterSearch, type Step } from './decide/next-step.js';
import type { Progress } from './decide/progress.js';
import { keptRef, Redaction } from './decide/shown-text.js';
import { EgressAdapterHttp } from './egress-adapter-http.js';

/** A connector as it is sent with. */
export interface ReadyConnector extends BreakerView {
  readonly kind: string;
  readonly active: boolean;
  readonly settings: JsonObject;
  readonly secrets: JsonObject | SecretUnreadableError;
}

/** A ticket that is to be created. */
export interface DueTicket {
  readonly id: string;
  readonly draft: StoredDraft;
}

const NO_ADAPTER: CreateOutcome = {
  kind: 'retryable',
  message: 'This process has no adapter for the platform; it must be listed in itsmAdapters of every process.',
};

/** Asks a platform for one ticket, once, and says what follows. Nothing that an adapter does is thrown on. */
@Injectable()
export class TicketAttempts {
  constructor(
    private readonly adapters: AdapterRegistry,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  /** Where the last attempt was cut, nobody knows what came of it: the platform is asked for it first. */
  async make(connector: ReadyConnector, ticket: DueTicket, progress: Progress, wasCut: boolean): Promise<Step> {
    const adapter = this.adapters.named(connector.kind);
    const now = () => this.clock.now();
    if (!adapter) return afterCreate(progress, NO_ADAPTER, 'none', now());
    const sight = adapter.capabilities.findByKey;
    const { secrets } = connector;
    const searches = wasCut || progress.phase === 'find';
    if (searches && sight === 'none') return afterInterruption(progress, sight, now());
    if (secrets instanceof SecretUnreadableError) return this.withoutSecrets(progress, searches);
    const context = this.contextOf(adapter, connector.settings, secrets);
    const redaction = new Redaction(secrets, connector.settings);
    if (!searches) {
      const outcome = await create(adapter, context, ticket);
      return redacted(afterCreate(progress, checked(outcome), sight, now()), redaction);
    }
    const asked: Progress = { ...progress, phase: 'find', since: progress.since ?? now().toISOString() };
    try {
      const found = await adapter.findByKey(context, ticket.id);
      const step = afterSearch(
        asked,
        found.flatMap(ref => keptRef(ref) ?? []),
        sight,
        now(),
      );
      return redacted(step, redaction);
    } catch (error) {
      return redacted(afterFailedSearch(asked, sentenceOf(error), now()), redaction);
    }
  }

  /** What a call of the adapter works with. */
  contextOf(adapter: ItsmAdapter, settings: JsonObject, secrets: JsonObject): AdapterContext<object, object> {
    const out = new EgressAdapterHttp(this.egress, originsOf(adapter, settings) ?? []);
    const http = new RedactedHttp(out, new SecretFilter(secrets));
    return { settings, secrets, http, clock: this.clock };
  }

  private withoutSecrets(progress: Progress, searches: boolean): Step {
    const message = 'The secrets of the connector cannot be read; enter them again.';
    if (searches) return afterFailedSearch(progress, message, this.clock.now());
    return afterCreate(progress, { kind: 'rejected', code: 'config', message }, 'none', this.clock.now());
  }
}

async function create(
  adapter: ItsmAdapter,
  context: AdapterContext<object, object>,
  { id, draft }: DueTicket,
): Promise<CreateOutcome> {
  let rendered: RenderedTicket;
  try {
    rendered = adapter.render({ ...draft, key: id }, context.settings);
  } catch (error) {
    const message = `The adapter could not give the ticket its form: ${messageOf(error)}`;
    return { kind: 'rejected', code: 'field', message };
  }
  return attemptCreate(adapter, context, rendered, id);
}

/** A ticket without a name that can be kept may be there, and must be looked for. */
function checked(outcome: CreateOutcome): CreateOutcome {
  if (outcome.kind !== 'created') return outcome;
  const ref: TicketRef | undefined = keptRef(outcome.ref);
  return ref
    ? { ...outcome, ref }
    : { kind: 'uncertain', message: 'The platform accepted the ticket and did not say what it is called.' };
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
      // Texts go in, so texts come out.
      ...(fields === undefined ? {} : { fields: redaction.ofFields(fields) as Record<string, string> }),
    },
  };
}

/** Messages of foreign errors may hold anything. */
function sentenceOf(error: unknown): string {
  return error instanceof AdapterHttpError || isPlain(error)
    ? messageOf(error)
    : 'The adapter failed while it looked for the ticket.';
}

function isPlain(error: unknown): boolean {
  return error instanceof Error && error.name === 'PlatformAnswerError';
}
