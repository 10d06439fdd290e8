import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, ConflictError } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import type { Actor } from '../principals/principal.js';
import { OrganizationNotFoundError } from './organization.errors.js';
import { SUSPENSION_TOPIC } from './suspension.topic.js';

/** Whether an organization is suspended, and since when. */
export interface SuspensionState {
  readonly orgId: string;
  readonly name: string;
  readonly suspendedAt: Date | null;
  /** Whether rows of the organization may already be deleted. If true, the organization cannot be resumed. */
  readonly isBeingDeleted: boolean;
}

const READ = `
select name, suspended_at as "suspendedAt", coalesce(deletion ? 'exported', false) as "isBeingDeleted" from ${SCHEMA}.organizations
where id = $1`;

// Resuming also cancels a requested deletion, unless the deletion has begun.
const WRITE = `
update ${SCHEMA}.organizations set suspended_at = $2, deletion = case when $2::timestamptz is null then null else deletion end
where id = $1`;

/** Suspends and resumes organizations for the operator. A change takes effect on every replica within one second. */
@Injectable()
export class OrganizationSuspension {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** @throws OrganizationNotFoundError */
  async of(orgId: string): Promise<SuspensionState> {
    return this.database.transaction(orgId, em => stateOf(em, orgId, ''));
  }

  /** Suspends the actor's organization. Does nothing if it is suspended. The audit entry contains the reason. */
  async suspend(actor: Actor, reason: string | null): Promise<SuspensionState> {
    return this.change(actor, { action: 'organization.suspended', suspendedAt: this.clock.now(), reason });
  }

  /**
   * Resumes the actor's organization. Does nothing if it is active.
   * @throws ConflictError if its deletion has begun
   */
  async resume(actor: Actor): Promise<SuspensionState> {
    return this.change(actor, { action: 'organization.resumed', suspendedAt: null, reason: null });
  }

  private async change(actor: Actor, { action, suspendedAt, reason }: Change): Promise<SuspensionState> {
    const { orgId } = actor;
    const state = await this.database.transaction(orgId, async em => {
      // Waits for running transactions that hold a lock on the row, because they rely on an unchanged state.
      const before = await stateOf(em, orgId, 'for update');
      if ((before.suspendedAt === null) === (suspendedAt === null)) return before;
      if (before.isBeingDeleted) {
        throw new ConflictError(
          'The deletion of this organization has begun. Run the same org delete again to end it.',
        );
      }
      await sqlOf(em).query(WRITE, [orgId, suspendedAt]);
      await this.audit.append(em, actor, {
        action,
        resourceType: 'organization',
        resourceId: orgId,
        before: { suspended_at: before.suspendedAt?.toISOString() ?? null },
        after: { suspended_at: suspendedAt?.toISOString() ?? null, ...(reason === null ? {} : { reason }) },
      });
      await this.changes.mark(em, orgId, SUSPENSION_TOPIC);
      return { ...before, suspendedAt };
    });
    await this.changes.refresh(orgId);
    return state;
  }
}

interface Change {
  readonly action: string;
  readonly suspendedAt: Date | null;
  readonly reason: string | null;
}

interface Row {
  name: string;
  suspendedAt: string | Date | null;
  isBeingDeleted: boolean;
}

async function stateOf(em: EntityManager, orgId: string, lock: '' | 'for update'): Promise<SuspensionState> {
  const [row] = await sqlOf(em).query<Row>(`${READ} ${lock}`, [orgId]);
  if (!row) throw new OrganizationNotFoundError(orgId);
  return { ...row, orgId, suspendedAt: row.suspendedAt === null ? null : new Date(row.suspendedAt) };
}
