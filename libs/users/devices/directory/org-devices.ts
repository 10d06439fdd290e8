import type { DeviceStatus, SqlTransaction } from '#core';
import { SCHEMA } from '#database';

/** Rows per statement, so that a large organization never holds up the process for long. */
const ROWS_PER_READ = 5_000;

const COLUMNS = `id, user_id, revoked_at is not null as revoked,
  (extract(epoch from certificate_expires_at) * 1000)::float8 as expires_ms, change_version::text as change_version`;

/** The newest version: `$1` organization. */
const NEWEST_VERSION = `
select coalesce(max(change_version), 0)::text as version from ${SCHEMA}.devices where org_id = $1`;

/** The next devices by id: `$1` organization, `$2` last id or null. */
const NEXT_BY_ID = `
select ${COLUMNS} from ${SCHEMA}.devices
where org_id = $1 and ($2::uuid is null or id > $2::uuid) order by id limit ${ROWS_PER_READ}`;

/** What has changed since: `$1` organization, `$2` version. The rows of one version are never torn apart. */
const CHANGED_SINCE = `
select ${COLUMNS} from ${SCHEMA}.devices
where org_id = $1 and change_version > $2 order by change_version fetch first ${ROWS_PER_READ} rows with ties`;

interface Row {
  id: string;
  user_id: string;
  revoked: boolean;
  expires_ms: number;
  change_version: string;
}

interface KnownDevice {
  readonly userId: string;
  readonly revoked: boolean;
  readonly expiresMs: number;
}

/** The devices of one organization in memory. */
export class OrgDevices {
  private readonly byId = new Map<string, KnownDevice>();
  /** Every change up to this version is here. */
  private version = 0;

  /** The status of a device for a user, at a time in milliseconds. Ids are compared without case. */
  statusOf(deviceId: string, userId: string | undefined, now: number): DeviceStatus {
    const device = this.byId.get(deviceId) ?? this.byId.get(deviceId.toLowerCase());
    if (!device || userId?.toLowerCase() !== device.userId) return 'unknown';
    if (device.revoked) return 'revoked';
    return device.expiresMs <= now ? 'expired' : 'active';
  }

  /** Reads every device. What changes between two of its statements is newer than the version noted first. */
  async readAll(tx: SqlTransaction, orgId: string): Promise<void> {
    const [newest] = await tx.query<{ version: string }>(NEWEST_VERSION, [orgId]);
    let lastId: string | null = null;
    for (;;) {
      const rows: Row[] = await tx.query<Row>(NEXT_BY_ID, [orgId, lastId]);
      for (const row of rows) this.put(row);
      lastId = rows.at(-1)?.id ?? null;
      if (rows.length < ROWS_PER_READ) break;
    }
    this.version = Number(newest?.version ?? 0);
    await this.readChanges(tx, orgId);
  }

  /** Reads what has changed. One call at a time: an older answer must not arrive after a newer one. */
  async readChanges(tx: SqlTransaction, orgId: string): Promise<void> {
    for (;;) {
      const rows = await tx.query<Row>(CHANGED_SINCE, [orgId, this.version]);
      for (const row of rows) this.put(row);
      this.version = Number(rows.at(-1)?.change_version ?? this.version);
      if (rows.length < ROWS_PER_READ) return;
    }
  }

  private put({ id, user_id: userId, revoked, expires_ms: expiresMs }: Row): void {
    this.byId.set(id, { userId, revoked, expiresMs });
  }
}
