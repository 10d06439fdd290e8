import { Injectable, Logger } from '@nestjs/common';
import { OrganizationStates, type SqlTransaction } from '#core';
import { ChangeFeed, OrgDatabase, OrgMemory, SCHEMA, sqlOf } from '#database';
import { OrganizationNotFoundError, OrganizationSuspendedError } from './organization.errors.js';
import { SUSPENSION_TOPIC } from './suspension.topic.js';

const READ = `select suspended_at is not null as suspended from ${SCHEMA}.organizations where id = $1`;

const READ_LOCKED = `${READ} for share`;

/** Caches the state of each organization, and reloads it when it is suspended or resumed on any replica. */
@Injectable()
export class StoredOrganizationStates extends OrganizationStates {
  private readonly logger = new Logger('Governance');
  private readonly memory: OrgMemory<boolean>;

  constructor(
    private readonly database: OrgDatabase,
    changes: ChangeFeed,
  ) {
    super();
    this.memory = new OrgMemory(changes, [SUSPENSION_TOPIC], (orgId, held) => this.read(orgId, held));
  }

  override isSuspended(orgId: string): boolean | Promise<boolean> {
    return this.memory.peek(orgId) ?? this.memory.of(orgId);
  }

  override assertActive(orgId: string): Promise<void> | undefined {
    const isSuspended = this.memory.peek(orgId);
    if (isSuspended === undefined) return this.memory.of(orgId).then(read => refuse(read));
    refuse(isSuspended);
    return undefined;
  }

  override async isSuspendedWithin(tx: SqlTransaction, orgId: string): Promise<boolean> {
    const [row] = await tx.query<{ suspended: boolean }>(READ_LOCKED, [orgId]);
    return row?.suspended ?? false;
  }

  private async read(orgId: string, held: boolean | undefined): Promise<boolean> {
    const [row] = await this.database.transaction(orgId, em => sqlOf(em).query<{ suspended: boolean }>(READ, [orgId]));
    if (!row) throw new OrganizationNotFoundError(orgId);
    // A suspended organization can be deleted at any time. From now on, each transaction checks that the organization
    // exists.
    if (row.suspended) this.database.forget(orgId);
    if (row.suspended !== (held ?? false)) this.tell(orgId, row.suspended);
    return row.suspended;
  }

  private tell(orgId: string, isSuspended: boolean): void {
    const what = isSuspended ? 'suspended: its requests are refused, its background work waits' : 'resumed';
    this.logger.warn(`Organization ${orgId} is ${what}.`);
  }
}

function refuse(isSuspended: boolean): void {
  if (isSuspended) throw new OrganizationSuspendedError();
}
