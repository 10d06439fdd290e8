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
/** Validity of a revocation list. */
const LIST_MS = 24 * HOUR_MS;
/** Age at which a list is signed again even without new revocations, so that clients can cache it. */
const REFRESH_MS = 12 * HOUR_MS;

// A revoked certificate stays on the list until a list that was signed after its expiry has contained it (RFC 5280,
// section 3.3).
const REVOKED = `
select serial, revoked_at, crl_reason from ${SCHEMA}.device_certificates
where org_id = $1 and authority_id = $2 and revoked_at is not null and not_after > $3 order by serial`;

/** A signed revocation list. */
export interface RevocationList {
  readonly der: Buffer;
}

/**
 * The revocation lists, one per authority. If the stored list lacks a revocation or is half a day old, one replica
 * signs a new list. Otherwise, requests get the stored list.
 */
@Injectable()
export class RevocationLists {
  constructor(
    private readonly database: OrgDatabase,
    private readonly authorities: DeviceAuthorities,
    private readonly clock: Clock,
  ) {}

  /**
   * The current revocation list of one authority. Undefined if the organization has no such authority, or if its key
   * was lost before the first list.
   */
  async of(orgId: string, authorityId: string): Promise<RevocationList | undefined> {
    const now = this.clock.now();
    return this.database.transaction(orgId, async em => {
      const found = await em.findOne(DeviceAuthority, { orgId, id: authorityId }, { populate: ['list'] });
      if (!found || isFresh(found, now)) return found ? shown(found) : undefined;
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      await em.refresh(found, { lockMode, populate: ['list'] });
      // Another replica may have signed a list while this replica waited for the lock.
      return isFresh(found, now) ? shown(found) : this.renew(em, found, now);
    });
  }

  private async renew(em: EntityManager, authority: DeviceAuthority, now: Date): Promise<RevocationList | undefined> {
    const signer = await this.authorities.signer(em, authority);
    // If the key was lost, the list cannot be signed again, but its entries remain valid.
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
