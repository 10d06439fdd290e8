import { Injectable } from '@nestjs/common';
import { Clock, type DeviceStatus, type Page, type PageQuery } from '#core';
import { equal, KeysetLists, newestFirst, sql, type Sql } from '#database';
import { Device } from './device.entity.js';

/** Filter and position for a list of devices. */
export interface DeviceListQuery extends PageQuery {
  user_id?: string | undefined;
  status?: ListedStatus | undefined;
}

type ListedStatus = Exclude<DeviceStatus, 'unknown'>;

const WITH_STATUS: Record<ListedStatus, (now: Date) => Sql> = {
  active: now => sql`d.revoked_at is null and d.certificate_expires_at > ${now.toISOString()}`,
  expired: now => sql`d.revoked_at is null and d.certificate_expires_at <= ${now.toISOString()}`,
  revoked: () => sql`d.revoked_at is not null`,
};

/** Lists devices by descending id, so that the newest enrollment comes first. */
@Injectable()
export class DeviceListService {
  constructor(
    private readonly lists: KeysetLists,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns one page.
   * @throws BadRequestError if the cursor is not valid for this list
   */
  list<Item>(orgId: string, query: DeviceListQuery, show: (device: Device) => Item): Promise<Page<Item>> {
    const user_id = query.user_id?.toLowerCase();
    const { status } = query;
    const list = {
      name: 'devices',
      filters: { user_id, status },
      table: 'devices',
      as: 'd',
      where: [...equal({ 'd.user_id': user_id }), status && WITH_STATUS[status](this.clock.now())],
      rows: Device,
      order: newestFirst('d.id'),
    };
    return this.lists.page(orgId, query, list, show);
  }
}
