import { Injectable, Optional } from '@nestjs/common';
import { DecisionService, parseDecision, ReleaseService, type DecideOptions, type Decision } from '#policy';
import { type RecordOptions, UsageIngestion, type UsageReceipt } from '#usage';

/**
 * What a host does on the way of each model call: ask before it, report after it. Everything else has a service of its
 * own.
 */
@Injectable()
export class Governance {
  constructor(
    @Optional() private readonly decisions?: DecisionService,
    @Optional() private readonly usage?: UsageIngestion,
    @Optional() private readonly releases?: ReleaseService,
  ) {}

  /**
   * Decides one request in the form of `POST /v1/decisions`, and reserves what it may cost where a blocking budget
   * guards it. With `em` all of it belongs to that transaction.
   * @throws BadRequestError naming every field at fault
   * @throws ConflictError where the idempotency key belongs to another request
   * @throws UnavailableError where a decision cannot be made or recorded at present
   */
  async decide(orgId: string, request: unknown, options?: DecideOptions): Promise<Decision> {
    return composed(this.decisions, 'PolicyModule').decide(orgId, parseDecision(request), options);
  }

  /**
   * Records up to 8,000 usage events in the form of `POST /v1/usage/events`; those that name a decision settle what it
   * reserved. With `em` all of it belongs to that transaction.
   */
  recordUsage(orgId: string, events: readonly unknown[], options?: RecordOptions): Promise<UsageReceipt> {
    return composed(this.usage, 'UsageModule').record(orgId, events, options);
  }

  /**
   * Gives back what a decision reserved, for a call that was not made after all. Answers how much, in US dollars: 0
   * where nothing was held. @throws NotFoundError where there is no such decision
   */
  async release(orgId: string, decisionId: string): Promise<number> {
    return (await composed(this.releases, 'PolicyModule').release(orgId, decisionId)).released_usd;
  }
}

/** @throws Error naming the module that the host left out of `libraries` */
function composed<T>(service: T | undefined, module: string): T {
  if (service === undefined) throw new Error(`This needs ${module}: add it to the \`libraries\` of GovernanceModule.`);
  return service;
}
