import { Injectable } from '@nestjs/common';
import {
  Clock,
  CursorSealer,
  DEFAULT_PAGE_LIMIT,
  digestFilters,
  pageOf,
  type CursorPosition,
  type DeviceStatus,
  type Page,
} from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Device } from './device.entity.js';

/** Which devices to list, and from where. */
export interface DeviceListQuery {
  user_id?: string | undefined;
  status?: Exclude<DeviceStatus, 'unknown'> | undefined;
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** Lists devices, the one that was enrolled last first; ids of devices grow with time. */
@Injectable()
export class DeviceListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly clock: Clock,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here */
  async list<Item>(orgId: string, query: DeviceListQuery, show: (device: Device) => Item): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const user_id = query.user_id?.toLowerCase();
    const { status } = query;
    const digest = digestFilters('devices', { user_id, status });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    const { sql, parameters } = filterOf(orgId, user_id, status, this.clock.now());
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const totalCount = opened?.totalCount ?? (await countRows(tx, `select 1 ${sql}`, parameters));
      const page = pageSql(sql, parameters, opened?.position, limit + 1);
      const rows = await tx.query<Record<string, unknown>>(page.sql, page.parameters);
      const devices = rows.map(row => em.map(Device, row));
      const cursorAfter = ({ id }: Device) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(devices, limit, show, cursorAfter, totalCount);
    });
  }
}

interface Filter {
  sql: string;
  parameters: unknown[];
}

function filterOf(orgId: string, userId: string | undefined, status: DeviceListQuery['status'], now: Date): Filter {
  const parameters: unknown[] = [orgId];
  let sql = `from ${SCHEMA}.devices d where d.org_id = $1`;
  if (userId !== undefined) sql += ` and d.user_id = $${parameters.push(userId)}`;
  if (status === 'revoked') sql += ` and d.revoked_at is not null`;
  else if (status !== undefined) {
    const compare = status === 'active' ? '>' : '<=';
    sql += ` and d.revoked_at is null and d.certificate_expires_at ${compare} $${parameters.push(now.toISOString())}`;
  }
  return { sql, parameters };
}

function pageSql(
  filter: string,
  given: readonly unknown[],
  position: CursorPosition | undefined,
  rows: number,
): Filter {
  const parameters = [...given];
  const after = position ? ` and d.id < $${parameters.push(position[0])}::uuid` : '';
  const sql = `select d.* ${filter}${after} order by d.id desc limit $${parameters.push(rows)}`;
  return { sql, parameters };
}
