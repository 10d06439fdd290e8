import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { Device } from './device.entity.js';

// Selects devices with their certificates. A device that has ended no longer occupies its key, unless the key was
// compromised.
const USES = `
select coalesce(bool_or(c.crl_reason = 'key_compromise'), false) as compromised,
  coalesce(bool_or(c.device_id = $3), false) as own,
  coalesce(bool_or(d.revoked_at is null and d.certificate_expires_at > $4), false) as taken
from ${SCHEMA}.device_certificates c
join ${SCHEMA}.devices d on d.org_id = c.org_id and d.id = c.device_id
where c.org_id = $1 and c.key_fingerprint = $2`;

/** Finds devices that share keys, transitively: `$1` is the organization, `$2` the first device. */
const SHARING = `
with recursive sharing as (
  select $2::uuid as device_id
  union
  select other.device_id from sharing s
  join ${SCHEMA}.device_certificates c on c.org_id = $1 and c.device_id = s.device_id
  join ${SCHEMA}.device_certificates other on other.org_id = $1 and other.key_fingerprint = c.key_fingerprint)
select device_id::text as id from sharing where device_id <> $2`;

/**
 * Checks that a key is new. Each device has its own keys and uses each key once. Runs within a change of devices, so
 * that two devices cannot get the same key concurrently.
 * @throws BadRequestError if the key was compromised, was used by the device before, or belongs to another valid device
 */
export async function assertKeyIsFree(
  em: EntityManager,
  { orgId, deviceId, fingerprint, now }: { orgId: string; deviceId: string; fingerprint: Buffer; now: Date },
): Promise<void> {
  const parameters = [orgId, fingerprint, deviceId, now.toISOString()];
  const [uses] = await sqlOf(em).query<{ compromised: boolean; own: boolean; taken: boolean }>(USES, parameters);
  if (uses?.compromised) refuse('has a key that was revoked as compromised; generate a new key on the device');
  if (uses?.own) refuse('has a previous key of the device; generate a new key');
  if (uses?.taken) refuse('has the key of another device; generate a new key on this device');
}

/** All other devices that have or had a key of this device. */
export async function devicesSharingKeys(em: EntityManager, orgId: string, deviceId: string): Promise<Device[]> {
  const rows = await sqlOf(em).query<{ id: string }>(SHARING, [orgId, deviceId]);
  return rows.length === 0 ? [] : em.find(Device, { orgId, id: { $in: rows.map(({ id }) => id) } });
}

function refuse(defect: string): never {
  throw BadRequestError.field('csr', defect);
}
