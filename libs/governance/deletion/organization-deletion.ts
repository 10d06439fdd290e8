import { Inject, Injectable } from '@nestjs/common';
import { operatorActor, OrganizationNotFoundError, OrganizationSuspension } from '#access';
import { ConfigurationService } from '#configuration';
import { Clock, ConflictError } from '#core';
import { DATABASE_OPTIONS, migrationUrl, withClient, type DatabaseOptions, type StatementClient } from '#database';
import { deleteRows, type DeletionProgress } from './delete-rows.js';
import { DeletionMark } from './deletion-mark.js';
import { ExportFolder, type ExportManifest } from './export-folder.js';
import { exportOrganization } from './organization-export.js';
import { organizationTables } from './organization-tables.js';
import { waitUntilSent, type SendingTerms } from './wait-until-sent.js';

/** The organization to delete, and the settings of its export. */
export interface DeletionOrder extends SendingTerms {
  /** A new folder for the export. To continue an interrupted deletion, the folder of that deletion. */
  readonly folder: string;
  /** The name of the organization. It must match the id, to protect against a wrong id. */
  readonly confirm: string;
  /** Name of the operator in the audit log. Default: `operator`. */
  readonly by?: string;
  /** Called once, when all checks have passed and before any row is exported or deleted. */
  readonly begun?: () => void;
  readonly progress?: DeletionProgress;
}

/** The content of an export, and the number of deleted rows. */
export interface DeletionReport {
  readonly orgId: string;
  readonly name: string;
  readonly manifest: ExportManifest;
  /**
   * Number of rows that this call deleted, by table. If an earlier call was interrupted, the export contains more rows.
   */
  readonly deleted: Readonly<Record<string, number>>;
}

/** Two-part advisory lock. The first part is 'gove' in ASCII, the second is the hash of the organization. */
const LOCK = `select pg_try_advisory_lock(1735358053, hashtext($1)) as locked`;

const OWNER = `
select pg_get_userbyid(nspowner) as owner, pg_has_role(nspowner, 'USAGE') as "mayDelete"
from pg_namespace where nspname = 'governance'`;

/** Deletes organizations. Each organization is exported before. */
@Injectable()
export class OrganizationDeletion {
  constructor(
    @Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions & { migrationUrl?: string },
    private readonly suspension: OrganizationSuspension,
    private readonly mark: DeletionMark,
    private readonly configurations: ConfigurationService,
    private readonly clock: Clock,
  ) {}

  /**
   * Exports a suspended organization and deletes all its rows. After a crash, call it again with the same folder: an
   * unfinished export starts again, an unfinished deletion continues.
   * @throws ConflictError if the organization is not ready, if its rows are still needed, or if another process deletes
   * it. In these cases no row is deleted
   */
  async run(orgId: string, order: DeletionOrder): Promise<DeletionReport> {
    const folder = new ExportFolder(order.folder);
    const connectionString = migrationUrl(this.options.migrationUrl ?? this.options.url);
    return withClient({ connectionString, application_name: 'nest-llm-governance delete' }, async client => {
      await this.begin(client, orgId);
      const tables = await organizationTables(client);
      const gone = await this.finishedBefore(orgId, folder, order.confirm);
      if (gone) order.begun?.();
      const manifest = gone ?? (await this.prepare(client, orgId, order, folder, tables));
      await folder.verify(manifest);
      // This wait includes rows that were written after the export.
      if (!gone) await waitUntilSent(this.mark.unsent(orgId), order);
      const deleted = await deleteRows(client, tables, orgId, order.progress ?? (() => undefined));
      return { orgId, name: manifest.organization.name, manifest, deleted: Object.fromEntries(deleted) };
    });
  }

  private async begin(client: StatementClient, orgId: string): Promise<void> {
    const { rows } = await client.query<{ owner: string; mayDelete: boolean }>(OWNER);
    if (rows[0]?.mayDelete === false) {
      throw new ConflictError(
        `Only the role that owns the tables, ${rows[0].owner}, may delete an organization: set GOVERNANCE_MIGRATION_URL ` +
          '(database.migrationUrl) to a URL with this role.',
      );
    }
    const locked = await client.query<{ locked: boolean }>(LOCK, [orgId]);
    if (!locked.rows[0]?.locked) throw new ConflictError('Another process is deleting this organization.');
  }

  /** The manifest, if an earlier run has already deleted the row of the organization. */
  private async finishedBefore(
    orgId: string,
    folder: ExportFolder,
    confirm: string,
  ): Promise<ExportManifest | undefined> {
    try {
      await this.suspension.of(orgId);
      return undefined;
    } catch (error) {
      if (!(error instanceof OrganizationNotFoundError)) throw error;
      const manifest = await folder.manifest();
      if (manifest?.organization.id !== orgId || manifest.organization.name !== confirm) throw error;
      return manifest;
    }
  }

  /** Completes the export, and records this in the database. */
  private async prepare(
    client: StatementClient,
    orgId: string,
    { confirm, by, begun, ...terms }: DeletionOrder,
    folder: ExportFolder,
    tables: Parameters<typeof exportOrganization>[2],
  ): Promise<ExportManifest> {
    const actor = operatorActor(orgId, by);
    const configuration = await this.mark.configurationOf(() => this.configurations.export(actor));
    const { name, exported } = await this.mark.begin(actor, confirm, folder.path);
    const earlier = exported === undefined ? undefined : this.mark.checked(await folder.manifest(), orgId, exported);
    begun?.();
    if (earlier) return earlier;
    // Waits before the export is finished, because until then the organization can be resumed.
    await waitUntilSent(this.mark.unsent(orgId), terms);
    const subject = { orgId, name, configuration, now: this.clock.now() };
    const manifest = await exportOrganization(client, folder, tables, subject);
    await this.mark.finish(orgId, manifest);
    return manifest;
  }
}
