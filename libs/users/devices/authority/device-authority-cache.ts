import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import type { DeviceAuthority } from '../device-authority.entity.js';
import { AuthorityNotFoundError } from '../device.errors.js';
import { DeviceAuthorities } from './device-authorities.js';
import { RevocationLists, type RevocationList } from './revocation-lists.js';

const ORG_OF = `select ${SCHEMA}.device_authority_org($1::uuid)::text as org_id`;

/** What relying parties need to check certificates of devices: the authorities and what was revoked. */
@Injectable()
export class DeviceAuthorityCache {
  constructor(
    private readonly database: OrgDatabase,
    private readonly authorities: DeviceAuthorities,
    private readonly lists: RevocationLists,
    private readonly clock: Clock,
  ) {}

  /**
   * The authorities of an organization that have not run out, the newest first; never empty.
   * @throws AuthorityNotFoundError before the first enrollment
   */
  async good(orgId: string): Promise<DeviceAuthority[]> {
    const now = this.clock.now();
    const found = await this.database.transaction(orgId, em => this.authorities.good(em, orgId, now));
    if (found.length === 0) throw new AuthorityNotFoundError();
    return found;
  }

  /**
   * The revocation lists of these authorities, in the same order; of one that has none because its key was lost, none.
   * @throws AuthorityNotFoundError before the first enrollment
   */
  async revocationLists(orgId: string): Promise<RevocationList[]> {
    const lists: RevocationList[] = [];
    for (const { id } of await this.good(orgId)) {
      const list = await this.lists.of(orgId, id);
      if (list) lists.push(list);
    }
    return lists;
  }

  /** The revocation list of an authority of any organization: it is public. Undefined where there is none. */
  async revocationListOf(authorityId: string): Promise<RevocationList | undefined> {
    const [row] = await this.database.global<{ org_id: string | null }>(ORG_OF, [authorityId]);
    return row?.org_id ? this.lists.of(row.org_id, authorityId) : undefined;
  }
}
