import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import type { DeviceAuthority } from '../device-authority.entity.js';
import { AuthorityNotFoundError } from '../device.errors.js';
import { DeviceAuthorities } from './device-authorities.js';
import { RevocationLists, type RevocationList } from './revocation-lists.js';

const ORG_OF = `select ${SCHEMA}.device_authority_org($1::uuid)::text as org_id`;

/** Caches the authorities and revocation lists with which other programs verify device certificates. */
@Injectable()
export class DeviceAuthorityCache {
  constructor(
    private readonly database: OrgDatabase,
    private readonly authorities: DeviceAuthorities,
    private readonly lists: RevocationLists,
    private readonly clock: Clock,
  ) {}

  /**
   * The valid authorities of an organization, newest first; never empty.
   * @throws AuthorityNotFoundError before the first enrollment
   */
  async good(orgId: string): Promise<DeviceAuthority[]> {
    const now = this.clock.now();
    const found = await this.database.transaction(orgId, em => this.authorities.good(em, orgId, now));
    if (found.length === 0) throw new AuthorityNotFoundError();
    return found;
  }

  /**
   * The revocation lists of the valid authorities, in the same order. Omits an authority whose key was lost before its
   * first list.
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

  /**
   * The revocation list of an authority, which may be of any organization, because lists are public. Undefined if there
   * is no such list.
   */
  async revocationListOf(authorityId: string): Promise<RevocationList | undefined> {
    const [row] = await this.database.global<{ org_id: string | null }>(ORG_OF, [authorityId]);
    return row?.org_id ? this.lists.of(row.org_id, authorityId) : undefined;
  }
}
