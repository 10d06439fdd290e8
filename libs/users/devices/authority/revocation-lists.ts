import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { makeRevocationList, type RevocationCode, type RevokedCertificate } from '../certificates/index.js';
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.js';
import { DeviceAuthority } from '../device-authority.entity.js';
import { wholeSeconds } from '../whole-seconds.js';
import { DeviceAuthorities } from './device-authorities.js';

const HOUR_MS = 3_600_000;
/** How long a list is good. */
const LIST_MS = 24 * HOUR_MS;
/** When it is made anew although nothing was revoked, so that whoever fetches one may keep it for a while. */
const REFRESH_MS = 12 * HOUR_MS;

// A certificate leaves the lists only after it has stood in one that was made when it had run out (RFC 5280, section 3.3).
const REVOKED = `
select serial, revoked_at, crl_reason from ${SCHEMA}.device_certificates
where org_id = $1 and authority_id = $2 and revoked_at is not null and not_after > $3 order by serial`;

/** A revocation list as it is handed out. */
export interface RevocationList {
  readonly der: Buffer;
}

/**
 * The lists of revoked certificates, one per authority. A list is signed when somebody asks and the last one misses a
 * revocation or is half a day old, by one replica; everybody else gets the one that is stored.
 */
@Injectable()
export class RevocationLists {
  constructor(
    private readonly database: OrgDatabase,
    private readonly authorities: DeviceAuthorities,
    private readonly clock: Clock,
  ) {}

  /**
   * The list of one authority as it is now; undefined where the organization has no such authority, or where its key was
   * lost before it signed one.
   */
  async of(orgId: string, authorityId: string): Promise<RevocationList | undefined> {
    const now = this.clock.now();
    return this.database.transaction(orgId, async em => {
      const found = await em.findOne(DeviceAuthority, { orgId, id: authorityId }, { populate: ['list'] });
      if (!found || isFresh(found, now)) return found ? shown(found) : undefined;
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      await em.refresh(found, { lockMode, populate: ['list'] });
      // Somebody else may have signed it while this waited.
      return isFresh(found, now) ? shown(found) : this.renew(em, found, now);
    });
  }

  private async renew(em: EntityManager, authority: DeviceAuthority, now: Date): Promise<RevocationList | undefined> {
    const signer = await this.authorities.signer(em, authority);
    // The key was lost: nothing can be added to the list any more, and what it says still holds.
    if (!signer) return shown(authority);
    authority.listNumber += 1;
    authority.list = makeRevocationList(signer, {
      number: authority.listNumber,
      thisUpdate: wholeSeconds(now.getTime() - CLOCK_TOLERANCE_MS),
      nextUpdate: wholeSeconds(now.getTime() + LIST_MS),
      revoked: await revokedBy(em, authority, new Date(now.getTime() - LIST_MS)),
    });
    authority.listMadeAt = now;
    authority.listIsCurrent = true;
    await em.flush();
    return shown(authority);
  }
}

function isFresh({ list, listIsCurrent, listMadeAt }: DeviceAuthority, now: Date): boolean {
  return list !== null && listIsCurrent && listMadeAt !== null && now.getTime() - listMadeAt.getTime() < REFRESH_MS;
}

function shown({ list }: DeviceAuthority): RevocationList | undefined {
  return list === null ? undefined : { der: list };
}

async function revokedBy(
  em: EntityManager,
  { orgId, id }: DeviceAuthority,
  endedAfter: Date,
): Promise<RevokedCertificate[]> {
  const rows = await sqlOf(em).query<{ serial: string; revoked_at: Date; crl_reason: RevocationCode }>(REVOKED, [
    orgId,
    id,
    endedAfter.toISOString(),
  ]);
  return rows.map(row => ({ serialNumber: row.serial, revokedAt: new Date(row.revoked_at), code: row.crl_reason }));
}
