import { NO_TIME_LIMITS, parseUsageEvent, reportedTerms, type StoredUsageEvent, type UsageEventInput } from '#usage';
import type { CallUsage } from './call.js';
import { storableTokens, type CallRecord } from './call-record.js';

/**
 * Id of a call's usage event. It is used if the provider gives no id, or if another process records the call after its
 * own process died.
 */
export function ownEventId({ id }: Pick<CallRecord, 'id'>): string {
  return `call:${id}`;
}

/**
 * The usage event of a call.
 * @param covered output tokens that were passed on, for usage without a count of output tokens
 */
export function eventOf(call: CallRecord, usage: CallUsage, covered: number): UsageEventInput {
  const isProviders = typeof usage.usage === 'object' && usage.usage !== null;
  const counts = isProviders
    ? { usage: usage.usage, ...(usage.api_flavor === undefined ? {} : { api_flavor: usage.api_flavor }) }
    : countsOf(call, usage, covered);
  return { ...commonOf(call, usage.estimated === true), ...termsOf(call, usage), ...namesOf(call, usage), ...counts };
}

/**
 * A simplified event that replaces an event whose usage was rejected. It has the call's own id, the model of the
 * request and plain token counts. It is rejected only if the user is unknown.
 */
export function plainEventOf(call: CallRecord, usage: CallUsage, covered: number): UsageEventInput {
  const common = commonOf(call, usage.usage !== undefined || usage.estimated === true);
  return {
    ...common,
    ...termsOf(call, usage),
    id: ownEventId(call),
    model: call.request.model,
    ...countsOf(call, usage, covered),
  };
}

/** Maximum length of the stored text. A provider's usage object is much smaller. */
const MAX_TEXT = 16_384;

/** Data that is stored with the end of a call. */
export interface EndedEvent {
  readonly event: UsageEventInput;
  /** Model and counts that replace those of the event if it is rejected. */
  readonly plain: Pick<UsageEventInput, 'model' | 'input_tokens' | 'output_tokens'>;
  /** The access token of the caller. */
  readonly tokenId?: string | undefined;
}

/**
 * The usage event of a call that has ended, as JSON.
 * @param isInDoubt whether a write-ahead of the call may still be stored after its end. The event then has the call's
 * own id, so that the two are counted once
 */
export function endedEventOf(call: CallRecord, usage: CallUsage, covered: number, isInDoubt: boolean): string {
  const event = eventOf(call, usage, covered);
  const plain = { model: call.request.model, ...countsOf(call, usage, covered) };
  const { tokenId } = call;
  const text = textOf({ event: isInDoubt ? { ...event, id: ownEventId(call) } : event, plain, tokenId });
  return text ?? JSON.stringify({ event: plainEventOf(call, usage, covered), plain, tokenId });
}

/** Parses a text of {@link endedEventOf}. */
export function endedEventIn(text: string): EndedEvent {
  // Only `endedEventOf` writes these texts, so the type is known.
  return JSON.parse(text) as EndedEvent;
}

/**
 * A simplified event that replaces an event whose usage was rejected. It has the call's own id and plain token counts.
 */
export function plainFormOf({ id }: Pick<CallRecord, 'id'>, { event, plain }: EndedEvent): UsageEventInput {
  const { usage: _usage, api_flavor: _flavor, ...rest } = event;
  return { ...rest, ...plain, id: ownEventId({ id }), metadata: { ...event.metadata, estimated: true } };
}

/** The JSON text of the event. Undefined if it is too long, or if an object of the host cannot be serialized. */
function textOf(ended: EndedEvent): string | undefined {
  try {
    const text = JSON.stringify(ended);
    return text.length <= MAX_TEXT ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The uncounted rest of an event. Needed if another process has recorded a part of the call, because the call's own
 * process seemed dead. Undefined if nothing remains.
 */
export function remainderOf(
  call: Pick<CallRecord, 'id'>,
  ended: EndedEvent,
  recorded: Pick<StoredUsageEvent, 'input_tokens' | 'output_tokens'>,
): UsageEventInput | undefined {
  const at = new Date(ended.event.occurred_at);
  const whole = parseUsageEvent(ended.event, at, NO_TIME_LIMITS);
  const event = whole.ok ? ended.event : plainFormOf(call, ended);
  const parsed = whole.ok ? whole : parseUsageEvent(event, at, NO_TIME_LIMITS);
  if (!parsed.ok) return undefined;
  const { tokens } = parsed.event;
  const input = Math.max(tokens.input_tokens - Number(recorded.input_tokens), 0);
  const output = Math.max(tokens.output_tokens - Number(recorded.output_tokens), 0);
  if (input + output === 0) return undefined;
  const { usage: _usage, api_flavor: _flavor, ...rest } = event;
  const metadata = { ...event.metadata, completes: ownEventId(call) };
  // The first part has already counted the request.
  return { ...rest, id: `${ownEventId(call)}:rest`, requests: 0, input_tokens: input, output_tokens: output, metadata };
}

function namesOf(call: CallRecord, { id, model }: CallUsage): Pick<UsageEventInput, 'id' | 'model'> {
  return { id: id ? id : ownEventId(call), model: model ? model : call.request.model };
}

/** The service tier and region in the provider's answer. If the answer names none, those of the request. */
function termsOf({ request }: CallRecord, { usage, ...stated }: CallUsage): Partial<UsageEventInput> {
  const reported = reportedTerms(usage);
  const tier = stated.service_tier ?? reported.serviceTier ?? request.service_tier;
  const region = stated.region ?? reported.region ?? request.region;
  return { ...(tier !== undefined && { service_tier: tier }), ...(region !== undefined && { region }) };
}

function countsOf({ request }: CallRecord, usage: CallUsage, covered: number): Partial<UsageEventInput> {
  return {
    input_tokens: storableTokens(usage.input_tokens ?? request.estimated_input_tokens),
    output_tokens: storableTokens(usage.output_tokens ?? covered),
  };
}

function commonOf(call: CallRecord, isEstimated: boolean): Omit<UsageEventInput, 'id' | 'model'> {
  const { request, decision, openedAt } = call;
  const { project, tags } = request;
  const metadata = { ...(isEstimated && { estimated: true }), ...(!decision && { open_pass: true }) };
  return {
    ...(request.user_id === undefined ? {} : { user_id: request.user_id }),
    ...(request.user_email === undefined ? {} : { user_email: request.user_email }),
    provider: request.provider,
    occurred_at: openedAt.toISOString(),
    ...(decision && { decision_id: decision.id }),
    ...(project && { project }),
    ...(tags && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
