import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError, Clock, ConflictError, isStorableText, isUuid, newId, type JsonObject } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { FIRST_ACTION } from '../audit/audit-chain.js';
import { AuditLog } from '../audit/audit-log.port.js';
import { operatorActor } from '../principals/operator-actor.js';
import type { Actor } from '../principals/principal.js';
import { Organization } from './organization.entity.js';
import { knownTimeZone } from './time-zone.js';
import { OrganizationNotFoundError } from './organization.errors.js';

/** The fields of an organization that can be changed. Missing fields stay unchanged. */
export interface OrganizationChanges {
  name?: string;
  timeZone?: string;
  /** 1 to 365. */
  signInTokenMaxDays?: number;
  /** 1 to 12. */
  fiscalYearFirstMonth?: number;
}

/** The fields that can be changed, with their values before or after a change. */
export type OrganizationState = Readonly<Required<OrganizationChanges>>;

/**
 * Called in the transaction of a change, after the change was written. If the function throws, the change is rolled
 * back.
 */
export type OrganizationWork = (
  em: EntityManager,
  orgId: string,
  before: OrganizationState,
  after: OrganizationState,
) => Promise<void>;

const INSERT = `
insert into governance.organizations (id, name, time_zone, created_at) values ($1, $2, $3, $4)
on conflict (id) do nothing returning id`;

const FIND = 'select suspended_at is null as is_active from governance.organizations where id = $1';

// Serializes changes, so that each sees the result of the previous one. Does not use `for update`, because that would
// block inserts of rows with a foreign key to the organization, such as rows of the audit log.
const LOCK = 'select id from governance.organizations where id = $1 for no key update';

/** Topic of the change feed for an organization's name and time zone. */
export const ORGANIZATION_TOPIC = 'organization';

/** Manages organizations: the operator creates them, their users read and change them. */
@Injectable()
export class OrganizationService {
  private readonly works: OrganizationWork[] = [];

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
  ) {
    database.requireOrganizations(async (tx, orgId) => {
      const [row] = await tx.query<{ is_active: boolean }>(FIND, [orgId]);
      if (!row) throw new OrganizationNotFoundError(orgId);
      return row.is_active;
    });
  }

  /**
   * Creates an organization for the operator. Not available through the API.
   * @throws ConflictError if the id is taken
   * @throws BadRequestError if name, id or time zone is invalid
   */
  async create(name: string, options: { id?: string; timeZone?: string } = {}): Promise<Organization> {
    const { organization, created } = await this.ensure(name, options);
    if (!created) throw new ConflictError(`There is an organization ${organization.id} already.`);
    return organization;
  }

  /** Creates an organization unless its id is taken. Safe if several replicas boot at the same time. */
  async ensure(
    name: string,
    options: { id?: string; timeZone?: string } = {},
  ): Promise<{ organization: Organization; created: boolean }> {
    if (options.id !== undefined && !isUuid(options.id)) throw BadRequestError.field('id', 'must be a UUID');
    const now = this.clock.now();
    const id = options.id?.toLowerCase() ?? newId(now);
    const timeZone = checkTimeZone(options.timeZone ?? 'UTC');
    checkName(name);
    const make = async (em: EntityManager): Promise<boolean> => {
      const rows = await sqlOf(em).query(INSERT, [id, name, timeZone, now]);
      if (rows.length === 0) return false;
      await this.audit.append(em, operatorActor(id), {
        action: FIRST_ACTION,
        resourceType: 'organization',
        resourceId: id,
        before: null,
        after: { name, time_zone: timeZone },
      });
      return true;
    };
    const created = await this.database.transaction(id, make, { isNew: true });
    return { organization: await this.get(id), created };
  }

  /** @throws OrganizationNotFoundError */
  async get(orgId: string): Promise<Organization> {
    return this.database.transaction(orgId, async em => {
      const found = await em.findOne(Organization, { id: orgId });
      if (!found) throw new OrganizationNotFoundError(orgId);
      return found;
    });
  }

  /** Whether the organization exists. A positive answer is cached. */
  async exists(orgId: string): Promise<boolean> {
    try {
      await this.database.assertOrganization(orgId);
      return true;
    } catch (error) {
      if (error instanceof OrganizationNotFoundError) return false;
      throw error;
    }
  }

  /** Registers a function that runs in the transaction of every later change. Call it during module initialization. */
  onUpdate(work: OrganizationWork): void {
    this.works.push(work);
  }

  /** Changes the given fields of the actor's own organization. Writes nothing if nothing differs. */
  async update(actor: Actor, changes: OrganizationChanges): Promise<Organization> {
    const timeZone = changes.timeZone === undefined ? undefined : checkTimeZone(changes.timeZone);
    if (changes.name !== undefined) checkName(changes.name);
    if (changes.signInTokenMaxDays !== undefined) checkDays(changes.signInTokenMaxDays);
    if (changes.fiscalYearFirstMonth !== undefined) checkMonth(changes.fiscalYearFirstMonth);
    const updated = await this.database.transaction(actor.orgId, async em => {
      await sqlOf(em).query(LOCK, [actor.orgId]);
      const found = await em.findOne(Organization, { id: actor.orgId });
      if (!found) throw new OrganizationNotFoundError(actor.orgId);
      const before = stateOf(found);
      found.name = changes.name ?? found.name;
      found.timeZone = timeZone ?? found.timeZone;
      found.signInTokenMaxDays = changes.signInTokenMaxDays ?? found.signInTokenMaxDays;
      found.fiscalYearFirstMonth = changes.fiscalYearFirstMonth ?? found.fiscalYearFirstMonth;
      const after = stateOf(found);
      if (isDeepStrictEqual(after, before)) return found;
      await em.flush();
      // Every transaction locks business rows before the head of the audit log. The functions may lock rows, so they
      // run before the audit entry is appended.
      for (const work of this.works) await work(em, actor.orgId, before, after);
      await this.audit.append(em, actor, {
        action: 'organization.updated',
        resourceType: 'organization',
        resourceId: found.id,
        before: auditView(before),
        after: auditView(after),
      });
      await this.changes.mark(em, actor.orgId, ORGANIZATION_TOPIC);
      return found;
    });
    await this.changes.refresh(actor.orgId);
    return updated;
  }
}

function stateOf({ name, timeZone, signInTokenMaxDays, fiscalYearFirstMonth }: Organization): OrganizationState {
  return { name, timeZone, signInTokenMaxDays, fiscalYearFirstMonth };
}

function auditView(state: OrganizationState): JsonObject {
  return {
    name: state.name,
    time_zone: state.timeZone,
    sign_in_token_max_days: state.signInTokenMaxDays,
    fiscal_year_first_month: state.fiscalYearFirstMonth,
  };
}

function checkName(name: string): void {
  if (name.length < 1 || name.length > 255 || name.trim() === '' || !isStorableText(name)) {
    throw BadRequestError.field('name', 'must be a text of 1 to 255 characters that is not blank');
  }
}

function checkDays(days: number): void {
  if (!Number.isInteger(days) || days < 1 || days > 365) {
    throw BadRequestError.field('sign_in_token_max_days', 'must be a whole number from 1 to 365');
  }
}

function checkMonth(month: number): void {
  if (!Number.isInteger(month) || month < 1 || month > 12) {
    throw BadRequestError.field('fiscal_year_first_month', 'must be a whole number from 1 to 12');
  }
}

function checkTimeZone(name: string): string {
  const known = knownTimeZone(name);
  if (known === undefined) throw BadRequestError.field('time_zone', 'must be an IANA time zone, such as Europe/Berlin');
  return known;
}
