import { Inject, Injectable, Optional } from '@nestjs/common';
import { OrganizationService } from '#access';
import { GovernedCalls, meterStream, type CallOptions, type CallRequest, type MeterOptions } from '#calls';
import { BadRequestError, isUuid } from '#core';
import {
  DecisionService,
  parseDecision,
  ReleaseService,
  type DecideOptions,
  type Decision,
  type DecisionInput,
} from '#policy';
import {
  ReservationExtension,
  UsageIngestion,
  type ExtendedReservation,
  type RecordOptions,
  type UsageEventInput,
  type UsageReceipt,
} from '#usage';

/**
 * The host's entry point for model calls: use `call` for everything, or `decide` before a call and `recordUsage` after
 * it. Other features have their own services.
 */
@Injectable()
export class Governance {
  @Optional() @Inject(ReservationExtension) private readonly extension?: ReservationExtension;
  @Optional() @Inject(GovernedCalls) private readonly calls?: GovernedCalls;

  constructor(
    private readonly organizations: OrganizationService,
    @Optional() private readonly decisions?: DecisionService,
    @Optional() private readonly usage?: UsageIngestion,
    @Optional() private readonly releases?: ReleaseService,
  ) {}

  /**
   * Creates the organization unless its id exists. Call it when your application starts or signs up a customer. Safe to
   * repeat, also concurrently: only one replica creates the organization and the audit entry. An existing organization
   * keeps its name and time zone.
   * @throws BadRequestError naming the invalid field
   */
  async ensureOrganization(wanted: WantedOrganization): Promise<EnsuredOrganization> {
    const { id, name, time_zone: timeZone } = checkedOrganization(wanted);
    if (await this.organizations.exists(id)) return { id, created: false };
    const { created } = await this.organizations.ensure(name, { id, ...(timeZone === undefined ? {} : { timeZone }) });
    return { id, created };
  }

  /**
   * Decides about one request in the format of `POST /v1/decisions`. Reserves its maximum cost if a blocking budget
   * applies. With `em` or `tx`, everything that is written belongs to that transaction.
   * @throws BadRequestError that names every invalid field
   * @throws OrganizationNotFoundError if the organization was not created
   * @throws ConflictError if the idempotency key belongs to another request
   * @throws UnavailableError if a decision cannot be made or recorded now
   */
  async decide(orgId: string, request: DecisionInput, options?: DecideOptions): Promise<RequestedDecision> {
    const decisions = composed(this.decisions, 'PolicyModule');
    const checked = parseDecision(request);
    const decision = await decisions.decide(checkedId(orgId), checked, checkedOptions(options, ['em', 'tx']));
    return { ...decision, request: checked };
  }

  /**
   * Makes one model call: requests a decision, calls `run`, records the usage and settles the reservation, and then
   * returns the result. If `run` throws or the signal aborts, the reservation is released. With `em` or `tx`,
   * everything that is written belongs to that transaction.
   * @throws RefusedError if the request is not allowed, with `decision`, `status` 402, 403 or 429, and `code`
   * @throws UnavailableError if no decision can be made and `onUnavailable` is `refuse`
   * @throws the error of `run`, or the signal's reason
   */
  async call<Result>(orgId: string, request: CallRequest, options: CallOptions<Result>): Promise<Result> {
    return composed(this.calls, 'CallsModule').call(
      checkedId(orgId),
      request,
      requiredOptions(options, ['run', 'usageOf', 'signal', 'onUnavailable', 'em', 'tx']),
    );
  }

  /**
   * Forwards the chunks of an answer without buffering, and meters them for a decision of {@link decide}. Forwarded
   * tokens count even if the process dies. The usage is recorded before the reader sees the end of the stream.
   * @throws RefusedError at once, if the decision does not allow the call
   */
  meterStream<Chunk>(
    orgId: string,
    decision: RequestedDecision,
    chunks: AsyncIterable<Chunk>,
    options?: MeterOptions<Chunk>,
  ): AsyncIterableIterator<Chunk> {
    const checked = checkedOptions(options, ['usageOf', 'textOf', 'onAbort', 'signal']);
    const { request, ...made } = decision;
    return meterStream(composed(this.calls, 'CallsModule').resume(checkedId(orgId), request, made), chunks, checked);
  }

  /**
   * Extends the reservation of a decision by a full term from now. For work that takes longer than a term.
   * @throws NotFoundError if the decision has no reservation: request a new decision
   */
  async extendReservation(orgId: string, decisionId: string): Promise<ExtendedReservation> {
    if (!isUuid(decisionId)) throw BadRequestError.field('decisionId', 'must be the id of a decision');
    return composed(this.extension, 'UsageModule').extend(checkedId(orgId), decisionId);
  }

  /**
   * Records up to 8,000 usage events in the format of `POST /v1/usage/events`. An event that names a decision settles
   * the reservation of that decision. With `em` or `tx`, everything that is written belongs to that transaction.
   * Invalid events are listed in `rejected`, with the invalid field.
   */
  async recordUsage(orgId: string, events: readonly UsageEventInput[], options?: RecordOptions): Promise<UsageReceipt> {
    return composed(this.usage, 'UsageModule').record(
      checkedId(orgId),
      events,
      checkedOptions(options, ['em', 'tx', 'limits']),
    );
  }

  /**
   * Releases the reservation of a decision whose call was not made. Returns the amount in US dollars, or 0 if no money
   * was reserved.
   * @throws NotFoundError if the decision does not exist
   */
  async release(orgId: string, decisionId: string): Promise<number> {
    return (await composed(this.releases, 'PolicyModule').release(checkedId(orgId), decisionId)).released_usd;
  }
}

/** A decision with its request. Usage of a stream counts for the user in that request. */
export interface RequestedDecision extends Decision {
  readonly request: DecisionInput;
}

/** The organization to ensure. */
export interface WantedOrganization {
  /** Id of the organization: a UUID that you choose. */
  readonly id: string;
  readonly name: string;
  /** IANA time zone in which days, weeks and months of budgets begin. Default: `UTC`. */
  readonly time_zone?: string;
}

/** The ensured organization. */
export interface EnsuredOrganization {
  /** Id in lower case. */
  readonly id: string;
  /** Whether this call created the organization. */
  readonly created: boolean;
}

const ORGANIZATION_FIELDS: ReadonlySet<string> = new Set(['id', 'name', 'time_zone']);

function checkedOrganization(wanted: WantedOrganization): WantedOrganization {
  const unknown = Object.keys(Object(wanted)).find(field => !ORGANIZATION_FIELDS.has(field));
  if (unknown !== undefined) throw BadRequestError.field(unknown, 'is not a field of an organization');
  const { id, name } = Object(wanted);
  if (!isUuid(id)) throw BadRequestError.field('id', 'must be a UUID');
  if (typeof name !== 'string') throw BadRequestError.field('name', 'must be a text');
  return { ...wanted, id: id.toLowerCase() };
}

/** Without this check, a misspelled name of a transaction option would be ignored silently. */
function checkedOptions<T extends object>(options: T | undefined, known: readonly string[]): T | undefined {
  if (options === undefined) return undefined;
  const unknown = Object.keys(options).find(name => !known.includes(name));
  if (unknown === undefined) return options;
  throw BadRequestError.field(`options.${unknown}`, `is unknown; there are: ${known.join(', ')}`);
}

function requiredOptions<T extends object>(options: T, known: readonly string[]): T {
  const checked = checkedOptions(options, known);
  if (typeof Object(checked).run === 'function') return options;
  throw BadRequestError.field('options.run', 'must be the function that calls the provider');
}

function checkedId(orgId: string): string {
  if (isUuid(orgId)) return orgId;
  throw BadRequestError.field('orgId', 'must be the UUID of an organization');
}

/** @throws Error naming the module that is missing in `libraries` */
function composed<T>(service: T | undefined, module: string): T {
  if (service === undefined) throw new Error(`This needs ${module}: add it to the \`libraries\` of GovernanceModule.`);
  return service;
}
