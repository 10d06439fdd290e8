import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, DeletionHolds, OrganizationNotFoundError, type Actor } from '#access';
import { Clock, ConflictError } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import type { ExportManifest } from './export-folder.js';
import type { ExportedConfiguration } from './organization-export.js';

/**
 * How long an organization must be suspended before its deletion, in milliseconds. Requests, delivery attempts and
 * leases that began before the suspension have then ended.
 */
const SUSPENDED_FOR_MS = 60_000;

interface Row {
  name: string;
  suspended_at: string | null;
  deletion: { folder: string; exported?: { at: string; digest: string } } | null;
}

const READ = `select name, suspended_at::text as suspended_at, deletion from ${SCHEMA}.organizations where id = $1 for update`;

const WRITE = `update ${SCHEMA}.organizations set deletion = $2::jsonb where id = $1`;

// Without the library `calls`, this table does not exist.
const HAS_CALLS = `select to_regclass('${SCHEMA}.open_calls') is not null as there`;
const OPEN_CALLS = `select count(*)::int as count from ${SCHEMA}.open_calls where org_id = $1 and ended is null`;

/**
 * The state of a deletion. It is stored in the row of the organization, so that a later run can continue the deletion.
 */
@Injectable()
export class DeletionMark {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly holds: DeletionHolds,
  ) {}

  /**
   * Records the start of the deletion, also in the audit log. Returns the name of the organization. If an earlier run
   * has finished the export, also returns its digest.
   * @throws ConflictError naming the requirement that is not met
   */
  async begin(actor: Actor, confirm: string, folder: string): Promise<{ name: string; exported: string | undefined }> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const row = await this.read(em, orgId);
      if (row.name !== confirm) {
        throw new ConflictError(
          `The organization is named ${JSON.stringify(row.name)}. Confirm the deletion with its name.`,
        );
      }
      await this.assertIdle(em, orgId, row);
      const { deletion } = row;
      if (deletion?.exported !== undefined) return { name: row.name, exported: deletion.exported.digest };
      await sqlOf(em).query(WRITE, [orgId, JSON.stringify({ folder })]);
      await this.audit.append(em, actor, {
        action: 'organization.deletion_begun',
        resourceType: 'organization',
        resourceId: orgId,
        before: { name: row.name },
        after: { export: folder },
      });
      return { name: row.name, exported: undefined };
    });
  }

  /** Records that the export is finished. From now on, the organization cannot be resumed. */
  async finish(orgId: string, manifest: ExportManifest): Promise<void> {
    await this.database.transaction(orgId, async em => {
      const { deletion } = await this.read(em, orgId);
      if (deletion === null) throw new ConflictError('The organization was resumed during its export.');
      const exported = { at: this.clock.now().toISOString(), digest: digestOf(manifest) };
      await sqlOf(em).query(WRITE, [orgId, JSON.stringify({ ...deletion, exported })]);
    });
  }

  /**
   * The manifest of the export that an earlier run has finished.
   * @throws ConflictError if the folder contains another manifest, or none
   */
  checked(manifest: ExportManifest | undefined, orgId: string, digest: string): ExportManifest {
    if (manifest?.organization.id === orgId && digestOf(manifest) === digest) return manifest;
    throw new ConflictError('The deletion has begun with an export in another folder. Name that folder again.');
  }

  /**
   * Returns a function that reads the reason why rows are still needed. It considers only rows from before this call.
   * Its result is undefined once they are no longer needed.
   */
  unsent(orgId: string): () => Promise<string | undefined> {
    const until = this.clock.now();
    return () => this.database.transaction(orgId, em => this.holds.reason(sqlOf(em), orgId, until));
  }

  /** The configuration of the organization. If it cannot be exported, because two objects share a name, the reason. */
  async configurationOf(read: () => Promise<object>): Promise<ExportedConfiguration> {
    try {
      return { document: await read() };
    } catch (error) {
      if (error instanceof ConflictError) return { fault: error.message };
      throw error;
    }
  }

  private async read(em: EntityManager, orgId: string): Promise<Row> {
    const [row] = await sqlOf(em).query<Row>(READ, [orgId]);
    if (!row) throw new OrganizationNotFoundError(orgId);
    return row;
  }

  private async assertIdle(em: EntityManager, orgId: string, { suspended_at: since }: Row): Promise<void> {
    const forMs = since === null ? 0 : this.clock.now().getTime() - new Date(since).getTime();
    if (forMs < SUSPENDED_FOR_MS) {
      throw new ConflictError(
        'Suspend the organization first, and delete it one minute later: its requests and deliveries have ended then.',
      );
    }
    const [calls] = await sqlOf(em).query<{ there: boolean }>(HAS_CALLS);
    if (!calls?.there) return;
    const [open] = await sqlOf(em).query<{ count: number }>(OPEN_CALLS, [orgId]);
    if (open && open.count > 0) {
      throw new ConflictError(`${open.count} calls to providers have not ended. Wait until they have, then try again.`);
    }
  }
}

function digestOf(manifest: ExportManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
