import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { Device } from './device.entity.js';

// The devices are read with the certificates: one that ended lets go of its key, unless the key was compromised.
const USES = `
select coalesce(bool_or(c.crl_reason = 'key_compromise'), false) as compromised,
  coalesce(bool_or(c.device_id = $3), false) as own,
  coalesce(bool_or(d.revoked_at is null and d.certificate_expires_at > $4), false) as taken
from ${SCHEMA}.device_certificates c
join ${SCHEMA}.devices d on d.org_id = c.org_id and d.id = c.device_id
where c.org_id = $1 and c.key_fingerprint = $2`;

/** By the keys that they have had, however many devices lie between: `$1` organization, `$2` the device to begin with. */
const SHARING = `
with recursive sharing as (
  select $2::uuid as device_id
  union
  select other.device_id from sharing s
  join ${SCHEMA}.device_certificates c on c.org_id = $1 and c.device_id = s.device_id
  join ${SCHEMA}.device_certificates other on other.org_id = $1 and other.key_fingerprint = c.key_fingerprint)
select device_id::text as id from sharing where device_id <> $2`;

/**
 * Every device has keys of its own, and each of them once. Asked in a change of devices, so that no two of them get the
 * same key at the same moment.
 * @throws BadRequestError where the key was compromised, was the device's before, or is that of another good device
 */
export async function assertKeyIsFree(
  em: EntityManager,
  { orgId, deviceId, fingerprint, now }: { orgId: string; deviceId: string; fingerprint: Buffer; now: Date },
): Promise<void> {
  const parameters = [orgId, fingerprint, deviceId, now.toISOString()];
  const [uses] = await sqlOf(em).query<{ compromised: boolean; own: boolean; taken: boolean }>(USES, parameters);
  if (uses?.compromised) refuse('has a key that was revoked as compromised; make a new key on the device');
  if (uses?.own) refuse('has a key that the device had before; make a new key for it');
  if (uses?.taken) refuse('has the key of another device; make a new key on this one');
}

/** The other devices that have, or had, a key of this one. */
export async function devicesSharingKeys(em: EntityManager, orgId: string, deviceId: string): Promise<Device[]> {
  const rows = await sqlOf(em).query<{ id: string }>(SHARING, [orgId, deviceId]);
  return rows.length === 0 ? [] : em.find(Device, { orgId, id: { $in: rows.map(({ id }) => id) } });
}

function refuse(defect: string): never {
  throw BadRequestError.field('csr', defect);
}
