import { Injectable, Optional } from '@nestjs/common';
import { OrganizationService } from '#access';
import { BadRequestError, isUuid } from '#core';
import {
  DecisionService,
  parseDecision,
  ReleaseService,
  type DecideOptions,
  type Decision,
  type DecisionInput,
} from '#policy';
import { type RecordOptions, type UsageEventInput, UsageIngestion, type UsageReceipt } from '#usage';

/**
 * What a host does on the way of each model call: ask before it, report after it. Everything else has a service of its
 * own.
 */
@Injectable()
export class Governance {
  constructor(
    private readonly organizations: OrganizationService,
    @Optional() private readonly decisions?: DecisionService,
    @Optional() private readonly usage?: UsageIngestion,
    @Optional() private readonly releases?: ReleaseService,
  ) {}

  /**
   * Makes the organization unless its id is taken: call it when your application starts or signs a customer up. May be
   * repeated, also by replicas at once; one makes it and its entry in the audit log. An organization that is there keeps
   * its name and time zone. @throws BadRequestError naming the field at fault
   */
  async ensureOrganization(wanted: WantedOrganization): Promise<EnsuredOrganization> {
    const { id, name, time_zone: timeZone } = checkedOrganization(wanted);
    if (await this.organizations.exists(id)) return { id, created: false };
    const { created } = await this.organizations.ensure(name, { id, ...(timeZone === undefined ? {} : { timeZone }) });
    return { id, created };
  }

  /**
   * Decides one request in the form of `POST /v1/decisions`, and reserves what it may cost where a blocking budget
   * guards it. With `em` or `tx` all of it belongs to that transaction.
   * @throws BadRequestError naming every field at fault
   * @throws OrganizationNotFoundError where the organization was not made
   * @throws ConflictError where the idempotency key belongs to another request
   * @throws UnavailableError where a decision cannot be made or recorded at present
   */
  async decide(orgId: string, request: DecisionInput, options?: DecideOptions): Promise<Decision> {
    return composed(this.decisions, 'PolicyModule').decide(
      checkedId(orgId),
      parseDecision(request),
      checkedOptions(options, ['em', 'tx']),
    );
  }

  /**
   * Records up to 8,000 usage events in the form of `POST /v1/usage/events`; those that name a decision settle what it
   * reserved. With `em` or `tx` all of it belongs to that transaction. An event at fault is in `rejected`, with the field.
   */
  async recordUsage(orgId: string, events: readonly UsageEventInput[], options?: RecordOptions): Promise<UsageReceipt> {
    return composed(this.usage, 'UsageModule').record(
      checkedId(orgId),
      events,
      checkedOptions(options, ['em', 'tx', 'limits']),
    );
  }

  /**
   * Gives back what a decision reserved, for a call that was not made after all. Answers how much, in US dollars: 0
   * where nothing was held. @throws NotFoundError where there is no such decision
   */
  async release(orgId: string, decisionId: string): Promise<number> {
    return (await composed(this.releases, 'PolicyModule').release(checkedId(orgId), decisionId)).released_usd;
  }
}

/** The organization that a host wants to have. */
export interface WantedOrganization {
  /** A UUID of yours. */
  readonly id: string;
  readonly name: string;
  /** IANA name of the zone in which days, weeks and months of budgets begin. Default: `UTC`. */
  readonly time_zone?: string;
}

/** The organization that a host wanted. */
export interface EnsuredOrganization {
  /** In lower case. */
  readonly id: string;
  /** Whether it was made by this call. */
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

/** A misspelt transaction would be left out of the work without a word. */
function checkedOptions<T extends object>(options: T | undefined, known: readonly string[]): T | undefined {
  if (options === undefined) return undefined;
  const unknown = Object.keys(options).find(name => !known.includes(name));
  if (unknown === undefined) return options;
  throw BadRequestError.field(`options.${unknown}`, `is unknown; there are: ${known.join(', ')}`);
}

function checkedId(orgId: string): string {
  if (isUuid(orgId)) return orgId;
  throw BadRequestError.field('orgId', 'must be the UUID of an organization');
}

/** @throws Error naming the module that the host left out of `libraries` */
function composed<T>(service: T | undefined, module: string): T {
  if (service === undefined) throw new Error(`This needs ${module}: add it to the \`libraries\` of GovernanceModule.`);
  return service;
}
