import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { Clock, type SqlTransaction } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { type AnomalySettings, DEFAULT_ANOMALY_SETTINGS, settingsView } from './anomaly-settings.js';

/** The settings of an organization, and the time of the last change. */
export interface ChosenSettings {
  readonly settings: AnomalySettings;
  readonly updatedAt: Date | null;
}

const READ = `select settings, updated_at from ${SCHEMA}.anomaly_settings where org_id = $1`;

const WRITE = `
insert into ${SCHEMA}.anomaly_settings (org_id, settings, updated_at) values ($1, $2, $3)
on conflict (org_id) do update set settings = excluded.settings, updated_at = excluded.updated_at`;

// Concurrent changes run one after another, so that the audit log contains both.
const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance.anomaly_settings:' || $1, 0))::text`;

/** Stores the detection settings of organizations. */
@Injectable()
export class AnomalySettingsService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** The settings, or the defaults. */
  get(orgId: string): Promise<ChosenSettings> {
    return this.database.transaction(orgId, em => this.within(sqlOf(em), orgId));
  }

  /** Reads the settings in a running transaction of the organization. */
  async within(tx: SqlTransaction, orgId: string): Promise<ChosenSettings> {
    const [row] = await tx.query<{ settings: Partial<AnomalySettings>; updated_at: string }>(READ, [orgId]);
    if (!row) return { settings: DEFAULT_ANOMALY_SETTINGS, updatedAt: null };
    // A later version may have added settings that the stored row lacks. Their defaults are used.
    return { settings: { ...DEFAULT_ANOMALY_SETTINGS, ...row.settings }, updatedAt: new Date(row.updated_at) };
  }

  /** Changes settings. A change without effect writes nothing. */
  change(actor: Actor, changed: (before: AnomalySettings) => AnomalySettings): Promise<ChosenSettings> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      await tx.query(LOCK, [orgId]);
      const before = await this.within(tx, orgId);
      const settings = changed(before.settings);
      if (before.updatedAt !== null && isDeepStrictEqual(before.settings, settings)) return before;
      const updatedAt = this.clock.now();
      await tx.query(WRITE, [orgId, JSON.stringify(settings), updatedAt]);
      await this.audit.append(em, actor, {
        action: 'anomaly_settings.updated',
        resourceType: 'anomaly_settings',
        resourceId: orgId,
        before: settingsView(before.settings),
        after: settingsView(settings),
      });
      return { settings, updatedAt };
    });
  }
}
