import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';

const CODES = `'unspecified', 'key_compromise', 'affiliation_changed', 'superseded', 'cessation_of_operation',
  'privilege_withdrawn'`;

/** Authorities of organizations, enrollments, devices and their certificates. */
export class DevicesMigration0310 extends Migration {
  override up(): void {
    for (const statement of [...authorities(), ...devices(), ...enrollments(), ...certificates()]) {
      this.addSql(statement);
    }
  }
}

function authorities(): string[] {
  return [
    // The private key is stored with the secrets, which are encrypted. The column `list` contains the latest signed
    // revocation list. The list is outdated once a certificate of the authority is revoked; the next request for the
    // list signs a new one.
    `create table ${SCHEMA}.device_authorities (
      org_id uuid not null,
      id uuid not null,
      generation integer not null check (generation > 0),
      certificate bytea not null,
      not_before timestamptz not null,
      not_after timestamptz not null,
      created_at timestamptz not null,
      list bytea null,
      list_number bigint not null default 0,
      list_made_at timestamptz null,
      list_is_current boolean not null default false,
      primary key (org_id, id),
      constraint device_authorities_generation unique (org_id, generation))`,
    `create index device_authorities_by_id on ${SCHEMA}.device_authorities (id)`,
    ...protectTable('device_authorities', 'select, insert, update'),
    // A program that verifies certificates knows the authority's id, but not the organization.
    ...whoseIs('device_authority_org', 'device_authorities'),
  ];
}

function devices(): string[] {
  return [
    `create table ${SCHEMA}.devices (
      org_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      name text not null check (char_length(name) between 1 and 255),
      certificate_serial text not null,
      fingerprint_sha256 text not null,
      certificate_expires_at timestamptz not null,
      revoked_at timestamptz null,
      revocation_reason text null check (char_length(revocation_reason) between 1 and 255),
      crl_reason text null check (crl_reason in (${CODES})),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      change_version bigint not null,
      primary key (org_id, id),
      constraint devices_revocation_explained check ((revoked_at is null) = (crl_reason is null)))`,
    `create index devices_by_user on ${SCHEMA}.devices (org_id, user_id, id)`,
    `create index devices_by_change on ${SCHEMA}.devices (org_id, change_version)`,
    `create index devices_revoked on ${SCHEMA}.devices (org_id, id) where revoked_at is not null`,
    `create index devices_by_expiry on ${SCHEMA}.devices (org_id, certificate_expires_at) where revoked_at is null`,
    `create index devices_by_id on ${SCHEMA}.devices (id)`,
    ...protectTable('devices', 'select, insert, update'),
    // A device that renews its certificate sends only its own id, not its organization.
    ...whoseIs('device_org', 'devices'),
  ];
}

function enrollments(): string[] {
  return [
    `create table ${SCHEMA}.device_enrollments (
      org_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      name text not null check (char_length(name) between 1 and 255),
      token_hash bytea not null check (octet_length(token_hash) = 32),
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz null,
      device_id uuid null,
      cancelled_at timestamptz null,
      primary key (org_id, id),
      unique (org_id, token_hash),
      constraint device_enrollments_used_once check ((used_at is null) = (device_id is null)))`,
    // A token is found by its hash alone, because it does not contain its organization.
    `create index device_enrollments_by_hash on ${SCHEMA}.device_enrollments (token_hash)`,
    ...protectTable('device_enrollments', 'select, insert, update'),
    ...crossOrganizationFunction(
      'device_enrollment_of(hash bytea)',
      `returns table (org_id uuid, id uuid)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select e.org_id, e.id from ${SCHEMA}.device_enrollments e where e.token_hash = hash
             order by e.created_at, e.id limit 1 $$`,
      { device_enrollments: ['org_id', 'id', 'token_hash', 'created_at'] },
    ),
  ];
}

function certificates(): string[] {
  return [
    `create table ${SCHEMA}.device_certificates (
      org_id uuid not null,
      serial text not null,
      device_id uuid not null,
      authority_id uuid not null,
      certificate bytea not null,
      spki bytea not null,
      key_fingerprint bytea not null check (octet_length(key_fingerprint) = 32),
      replaces text null,
      not_before timestamptz not null,
      not_after timestamptz not null,
      revoked_at timestamptz null,
      crl_reason text null check (crl_reason in (${CODES})),
      primary key (org_id, serial),
      constraint device_certificates_revocation_explained check ((revoked_at is null) = (crl_reason is null)))`,
    `create index device_certificates_by_device on ${SCHEMA}.device_certificates (org_id, device_id)`,
    `create index device_certificates_revoked on ${SCHEMA}.device_certificates (org_id, authority_id, not_after)
     where revoked_at is not null`,
    `create index device_certificates_by_key on ${SCHEMA}.device_certificates (org_id, key_fingerprint)`,
    ...protectTable('device_certificates', 'select, insert, update'),
  ];
}

/** A function that returns the organization of a row by the row's id. */
function whoseIs(name: string, table: string): string[] {
  return crossOrganizationFunction(
    `${name}(wanted uuid)`,
    `returns uuid language sql stable security definer set search_path = pg_catalog, pg_temp
     as $$ select t.org_id from ${SCHEMA}.${table} t where t.id = wanted order by t.org_id limit 1 $$`,
    { [table]: ['org_id', 'id'] },
  );
}
