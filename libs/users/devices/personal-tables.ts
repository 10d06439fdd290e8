import { mentions, scrubbed, type PersonalTable } from '#database';

const OF_DEVICE =
  't.device_id in (select d.id from governance.devices d where d.org_id = t.org_id and d.user_id = p.user_id)';

/** Personal data in the tables of devices. Revoked certificates must stay on the revocation lists. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'devices',
    key: 't.id',
    where: 't.user_id = p.user_id',
    acts: 'array[t.id::text]',
    names: 'array[t.name, t.fingerprint_sha256]',
    erase: {
      set: {
        name: `'Erased device'`,
        fingerprint_sha256: `''`,
        revocation_reason: 'null',
      },
    },
  },
  {
    // A device of another user, whose revocation reason mentions this person.
    table: 'devices',
    key: 't.id',
    where: `t.user_id <> p.user_id and ${mentions('t.revocation_reason')}`,
    show: "jsonb_build_object('id', t.id, 'revocation_reason', t.revocation_reason)",
    erase: { set: { revocation_reason: scrubbed('t.revocation_reason') } },
  },
  {
    table: 'device_enrollments',
    key: 't.id',
    where: 't.user_id = p.user_id',
    omit: ['token_hash'],
    names: 'array[t.name]',
    erase: { set: { name: `'Erased device'` } },
  },
  {
    table: 'device_certificates',
    key: 't.serial',
    where: OF_DEVICE,
    omit: ['certificate', 'spki'],
    erase: {
      set: {
        certificate: `''::bytea`,
        spki: `''::bytea`,
        // A replacement hash that does not belong to any key.
        key_fingerprint: `sha256(convert_to('erased ' || t.serial, 'UTF8'))`,
      },
    },
  },
];
