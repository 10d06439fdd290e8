import { resolve } from 'node:path';
import { readEnvironment, type GovernanceOptions } from 'nest-llm-governance';
import { LOG_LEVELS, type LogOptions } from './app-logger.js';
import { unknownVariables, withFiles, type Environment } from './environment.js';
import { keysOf } from './keys-file.js';
import { asksForTraces } from './traces.js';

/** The checked settings from the environment. */
export interface StandaloneConfig {
  host: string;
  port: number;
  /** URL of the database. Undefined for the embedded server. */
  databaseUrl: string | undefined;
  /** URL for migrations. Undefined if `databaseUrl` is also used for migrations. */
  migrationUrl: string | undefined;
  dataDir: string;
  keys: string;
  firstOrganization: { id: string | undefined; adminToken: string | undefined };
  /** The public address of this app; undefined if unknown. */
  publicUrl: string | undefined;
  log: LogOptions;
  /** Whether every request is logged. */
  accessLog: boolean;
  /** Whether the app serves `/metrics`. */
  metrics: boolean;
  /** Whether traces are sent, according to the standard variables of OpenTelemetry. */
  traces: boolean;
  /**
   * Seconds between SIGTERM and the closing of the port. During this time, readiness answers 503, and requests are
   * still answered.
   */
  drainSeconds: number;
  /** Options of the module that environment variables set. */
  options: Partial<GovernanceOptions>;
  /** One sentence for each unknown variable whose name resembles a variable of the app. */
  unknownVariables: string[];
}

/** Options of `readConfig`. */
export interface ReadOptions {
  /** Whether to create the key file of the embedded database if it is missing. Default: true. */
  makeKeys?: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the environment. @throws Error that names every invalid variable and how to correct it */
export function readConfig(
  environment: Environment = process.env,
  { makeKeys = true }: ReadOptions = {},
): StandaloneConfig {
  const values = withFiles(environment);
  const { options, faults } = readEnvironment(Object.fromEntries(values));
  const app = new AppValues(values, faults);
  const { url: databaseUrl, migrationUrl } = options.database ?? {};
  if (migrationUrl !== undefined && databaseUrl === undefined && !values.has('DATABASE_URL')) {
    faults.push('GOVERNANCE_MIGRATION_URL goes with DATABASE_URL: set both, or neither for the embedded database.');
  }
  const config = {
    host: values.get('HOST') ?? '127.0.0.1',
    port: app.whole('PORT', 3_000, 65_535),
    databaseUrl,
    migrationUrl,
    dataDir: resolve(values.get('GOVERNANCE_DATA_DIR') ?? '.data'),
    firstOrganization: app.firstOrganization(),
    publicUrl: options.devices?.publicUrl,
    drainSeconds: app.whole('GOVERNANCE_DRAIN_SECONDS', 3, 300),
    log: {
      json: app.choice('GOVERNANCE_LOG_FORMAT', ['json', 'text'], process.stdout.isTTY ? 'text' : 'json') === 'json',
      level: app.choice('GOVERNANCE_LOG_LEVEL', LOG_LEVELS, 'warn'),
    },
    accessLog: app.flag('GOVERNANCE_ACCESS_LOG'),
    metrics: app.flag('GOVERNANCE_METRICS'),
    traces: asksForTraces(environment),
    options,
    unknownVariables: unknownVariables(environment),
  };
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { ...config, keys: options.keys ?? keysOf(config.dataDir, databaseUrl, makeKeys) };
}

/** Reads the variables of the app itself, and collects errors. */
class AppValues {
  constructor(
    private readonly values: ReadonlyMap<string, string>,
    private readonly faults: string[],
  ) {}

  whole(name: string, fallback: number, max: number): number {
    const value = Number(this.values.get(name) ?? fallback);
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    this.faults.push(`${name} must be a whole number from 0 to ${max}.`);
    return fallback;
  }

  choice<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.values.get(name);
    const found = values.find(value => value === text);
    if (text !== undefined && found === undefined) this.faults.push(`${name} must be one of ${values.join(', ')}.`);
    return found ?? fallback;
  }

  flag(name: string): boolean {
    const text = this.values.get(name);
    if (text !== undefined && text !== 'true' && text !== 'false') this.faults.push(`${name} must be true or false.`);
    return text === 'true';
  }

  firstOrganization(): StandaloneConfig['firstOrganization'] {
    const [id, adminToken] = [this.values.get('GOVERNANCE_ORG_ID'), this.values.get('GOVERNANCE_ADMIN_TOKEN')];
    if (id !== undefined && !UUID.test(id)) this.faults.push('GOVERNANCE_ORG_ID must be a UUID.');
    // The error does not repeat the token, because the token is a secret.
    if (adminToken !== undefined && adminToken.length < 32) {
      const remedy = 'must have 32 characters or more; make one with: openssl rand -hex 32';
      this.faults.push(`GOVERNANCE_ADMIN_TOKEN ${remedy}.`);
    }
    return { id, adminToken };
  }
}
