import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { GovernanceOptions } from 'nest-llm-governance';

/** What the environment says, checked. */
export interface StandaloneConfig {
  host: string;
  port: number;
  /** Undefined: the embedded server. */
  databaseUrl: string | undefined;
  /** Undefined: `databaseUrl` runs the migrations too. */
  migrationUrl: string | undefined;
  dataDir: string;
  keys: string;
  firstOrganization: { id: string | undefined; adminToken: string | undefined };
  trustedProxies: string[];
  /** Where others reach this app; undefined: not known. */
  publicUrl: string | undefined;
  revokeDevicesOfLeavers: boolean;
  itsm: NonNullable<GovernanceOptions['itsm']>;
  egress: NonNullable<GovernanceOptions['egress']>;
  requestsPerMinute: number;
  failedSignInsPerMinute: number;
  retentionDays: number;
  usageRetentionDays: number;
  reservationMinutes: number;
  /** Whether only users of the organization approve and deny. */
  approvalsRequirePerson: boolean;
  decisionRetentionDays: number;
  /** Between two anchors of an audit log; 0: none. */
  auditAnchorHours: number;
  /** Share of the allowed decisions without consequences that are recorded. */
  decisionSample: number;
  /** Whether `/metrics` exists. */
  metrics: boolean;
  identityProviders: NonNullable<GovernanceOptions['identityProviders']>;
}

type Environment = Record<string, string | undefined>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KEYS_FILE = 'keys';

/** Reads the environment. @throws Error that names the variable and says what to write. */
export function readConfig(environment: Environment = process.env): StandaloneConfig {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const dataDir = resolve(read('GOVERNANCE_DATA_DIR') ?? '.data');
  const databaseUrl = read('DATABASE_URL');
  const migrationUrl = read('GOVERNANCE_MIGRATION_URL');
  if (migrationUrl !== undefined && databaseUrl === undefined) {
    throw new Error('GOVERNANCE_MIGRATION_URL goes with DATABASE_URL: set both, or neither for the embedded database.');
  }
  return {
    host: read('HOST') ?? '127.0.0.1',
    port: integer('PORT', read('PORT') ?? '3000', 0, 65_535),
    databaseUrl,
    migrationUrl,
    dataDir,
    keys: read('GOVERNANCE_KEYS') ?? keysOf(dataDir, databaseUrl),
    firstOrganization: {
      id: checked('GOVERNANCE_ORG_ID', read('GOVERNANCE_ORG_ID'), id => UUID.test(id), 'must be a UUID'),
      adminToken: checked(
        'GOVERNANCE_ADMIN_TOKEN',
        read('GOVERNANCE_ADMIN_TOKEN'),
        token => token.length >= 32,
        'must have 32 characters or more; make one with: openssl rand -hex 32',
      ),
    },
    trustedProxies: list(read('GOVERNANCE_TRUSTED_PROXIES')),
    publicUrl: webAddress('GOVERNANCE_PUBLIC_URL', read('GOVERNANCE_PUBLIC_URL')),
    revokeDevicesOfLeavers: flag('GOVERNANCE_REVOKE_DEVICES_OF_LEAVERS', read('GOVERNANCE_REVOKE_DEVICES_OF_LEAVERS')),
    itsm: itsm(read),
    egress: {
      allow: list(read('GOVERNANCE_EGRESS_ALLOW')),
      ...(read('GOVERNANCE_DNS_SERVERS') === undefined ? {} : { nameServers: list(read('GOVERNANCE_DNS_SERVERS')) }),
    },
    requestsPerMinute: integer('GOVERNANCE_RATE_LIMIT', read('GOVERNANCE_RATE_LIMIT') ?? '600', 0, 1_000_000),
    failedSignInsPerMinute: integer(
      'GOVERNANCE_SIGN_IN_LIMIT',
      read('GOVERNANCE_SIGN_IN_LIMIT') ?? '300',
      0,
      1_000_000,
    ),
    retentionDays: integer('GOVERNANCE_RETENTION_DAYS', read('GOVERNANCE_RETENTION_DAYS') ?? '30', 1, 3_650),
    usageRetentionDays: integer(
      'GOVERNANCE_USAGE_RETENTION_DAYS',
      read('GOVERNANCE_USAGE_RETENTION_DAYS') ?? '400',
      97,
      36_500,
    ),
    reservationMinutes: integer(
      'GOVERNANCE_RESERVATION_MINUTES',
      read('GOVERNANCE_RESERVATION_MINUTES') ?? '15',
      1,
      10_080,
    ),
    approvalsRequirePerson: flag('GOVERNANCE_APPROVALS_REQUIRE_PERSON', read('GOVERNANCE_APPROVALS_REQUIRE_PERSON')),
    decisionRetentionDays: integer(
      'GOVERNANCE_DECISION_RETENTION_DAYS',
      read('GOVERNANCE_DECISION_RETENTION_DAYS') ?? '90',
      1,
      3_650,
    ),
    auditAnchorHours: integer('GOVERNANCE_AUDIT_ANCHOR_HOURS', read('GOVERNANCE_AUDIT_ANCHOR_HOURS') ?? '24', 0, 8_760),
    decisionSample: share('GOVERNANCE_DECISION_SAMPLE', read('GOVERNANCE_DECISION_SAMPLE') ?? '1'),
    metrics: flag('GOVERNANCE_METRICS', read('GOVERNANCE_METRICS')),
    identityProviders: identityProviders(read('GOVERNANCE_IDENTITY_PROVIDERS')),
  };
}

/** With an embedded database, keys are made in the data folder; a database elsewhere needs keys that outlive this machine. */
function keysOf(dataDir: string, databaseUrl: string | undefined): string {
  if (databaseUrl !== undefined) {
    throw new Error(
      'GOVERNANCE_KEYS is required with DATABASE_URL: it seals secrets in the database, and every replica needs the ' +
        'same. Make one with: echo "k1:$(openssl rand -base64 32)"',
    );
  }
  const file = join(dataDir, KEYS_FILE);
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`${name} must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function share(name: string, text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new Error(`${name} must be a number from 0 to 1, such as 0.1.`);
  return value;
}

function flag(name: string, text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false') throw new Error(`${name} must be true or false.`);
  return text === 'true';
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
}

function checked(
  name: string,
  value: string | undefined,
  isGood: (value: string) => boolean,
  message: string,
): string | undefined {
  // The value may be a secret and is not repeated.
  if (value !== undefined && !isGood(value)) throw new Error(`${name} ${message}.`);
  return value;
}

function webAddress(name: string, url: string | undefined): string | undefined {
  const isGood = (given: string): boolean => /^https?:\/\//.test(given) && URL.canParse(given);
  return checked(name, url, isGood, 'must be an http or https URL, such as https://governance.example.com');
}

function itsm(read: (name: string) => string | undefined): StandaloneConfig['itsm'] {
  const minutes = read('GOVERNANCE_ITSM_RECONCILE_MINUTES');
  const publicUrl = webAddress('GOVERNANCE_ITSM_PUBLIC_URL', read('GOVERNANCE_ITSM_PUBLIC_URL'));
  return {
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(minutes === undefined
      ? {}
      : { reconcileMinutes: integer('GOVERNANCE_ITSM_RECONCILE_MINUTES', minutes, 1, 1_440) }),
  };
}

function identityProviders(text: string | undefined): StandaloneConfig['identityProviders'] {
  if (text === undefined) return [];
  const problem = 'GOVERNANCE_IDENTITY_PROVIDERS must be a JSON list of { "issuer", "audience", "jwksUri", … }.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(problem, { cause: error });
  }
  if (!Array.isArray(value) || !value.every(isIdentityProvider)) throw new Error(problem);
  return value;
}

function isIdentityProvider(value: unknown): value is StandaloneConfig['identityProviders'][number] {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['issuer', 'audience', 'jwksUri'].every(key => typeof Reflect.get(value, key) === 'string')
  );
}
