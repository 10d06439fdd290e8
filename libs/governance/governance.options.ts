import type { ModuleMetadata } from '@nestjs/common';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import { ACCESS_RULES, type IdentityProvider, type PrincipalResolver, type SecurityEvents } from '#access';
import { CALLS_RULES, type CallsOptions } from '#calls';
import { ANOMALIES_RULES, type AnomaliesOptions } from '#anomalies';
import { option, parseKeyring } from '#core';
import type { Clock, DeviceDirectory, PricingCatalog, SecretCipher, SpendGuard, UserDirectory } from '#core';
import { DASHBOARD_RULES, OIDC_RULES, type DashboardStructure, type OidcOptions } from '#dashboard';
import { DATABASE_RULES, databaseUrl, type DatabaseOptions, type LibraryModule } from '#database';
import { EGRESS_RULES, type EgressOptions } from '#egress';
import { GATEWAY_RULES, type GatewayOptions } from '#gateway';
import { INCIDENTS_RULES, type IncidentsOptions } from '#incidents';
import { ITSM_RULES, type ChatCommandAdapter, type ItsmAdapter, type ItsmOptions } from '#itsm';
import { OUTBOX_RULES, type OutboxOptions } from '#outbox';
import {
  APPROVAL_RULES,
  POLICY_RULES,
  type ApprovalOptions,
  type ConditionOperator,
  type PolicyOptions,
} from '#policy';
import { SIEM_RULES, type AuditSink, type SiemOptions } from '#siem';
import { BUDGET_RULES, USAGE_RULES, type BudgetOptions, type UsageOptions } from '#usage';
import { DEVICES_RULES, type DevicesOptions } from '#users';
import { WEBHOOKS_RULES, type WebhooksOptions } from '#webhooks';
import { implementation, isClass, oneOrMore, type Implementation } from './composition/implementation.js';
import { PART_METHODS } from './composition/part-methods.js';

/** The values of the module, which a configuration service may provide. */
export interface GovernanceOptions {
  /** PostgreSQL 15 or newer. The tables live in their own schema, `governance`. */
  database: DatabaseOptions & {
    /**
     * `run`: update the schema at boot. `check`: refuse to boot with an outdated schema, and name the command to run.
     * Default: `check`.
     */
    migrations?: 'run' | 'check';
    /**
     * URL of another role, which runs the migrations. It grants `governance_app` to the role of `url`, which then needs
     * no rights of its own. Default: `url`.
     */
    migrationUrl?: string;
  };
  /**
   * Keyring that encrypts cursors and stored secrets, as `id:base64 of 32 bytes[,…]`: all keys decrypt, the first one
   * encrypts. Give every replica the same keyring.
   */
  keys: string;
  /** Requests per minute and credential on management endpoints; 0 turns the limit off. Default: 600. */
  requestsPerMinute?: number;
  /**
   * Failed sign-ins per minute and address (IPv6: /64 network) in each process; 0 turns the limit off. Credentials that
   * were accepted before still work. Default: 300.
   */
  failedSignInsPerMinute?: number;
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  trustedProxies?: readonly string[];
  /** Days for which rows of the audit log are kept, from 30 to 36,500. Default: forever. */
  auditRetentionDays?: number;
  /** Identity providers whose JWTs are accepted besides access tokens. */
  identityProviders?: readonly IdentityProvider[];
  /** Sign-in of people to the dashboard with an account of another provider. Needs `dashboard: { sessions: true }`. */
  oidc?: OidcOptions;
  /** Defaults of decisions if no policy matches or the user is unknown, and which decisions are recorded. */
  decisions?: PolicyOptions;
  /** Who may decide requests for approval, how long requests wait, and how long grants last. */
  approvals?: ApprovalOptions;
  /** Settings of the storage of usage. */
  usage?: UsageOptions;
  /** Settings of reservations in blocking budgets. */
  budgets?: BudgetOptions;
  /** Settings of incidents. */
  incidents?: IncidentsOptions;
  /** Settings of the detection of anomalies. */
  anomalies?: AnomaliesOptions;
  /** Settings of background work: webhooks, listeners, tickets. */
  outbox?: OutboxOptions;
  /** Settings of the enrollment of devices. */
  devices?: DevicesOptions;
  /** Settings of governed calls to providers. */
  calls?: CallsOptions;
  /** Settings of the gateway to the providers of LLMs. */
  gateway?: GatewayOptions;
  /** Settings of the delivery of webhooks. */
  webhooks?: WebhooksOptions;
  /** Settings of tickets. */
  itsm?: ItsmOptions;
  /** Target of the audit log and security events. Default: none. */
  siem?: SiemOptions;
  /** Permitted targets of outbound calls. Default: public addresses only. */
  egress?: EgressOptions;
}

/** Keys of `database`. */
export const SCHEMA_RULES = {
  ...DATABASE_RULES,
  migrations: option.choice(['run', 'check']),
  migrationUrl: databaseUrl(),
} satisfies option.RulesOf<GovernanceOptions['database']>;

/** Keys of {@link GovernanceOptions}. */
export const VALUE_RULES = {
  ...ACCESS_RULES,
  database: option.section(SCHEMA_RULES, 'Set GovernanceModule options.database'),
  keys: option.required(
    option.readable(option.isText, 'a text "id:<base64 of 32 bytes>"', parseKeyring),
    'Set GovernanceModule options.keys to "id:<base64 of 32 bytes>" (openssl rand -base64 32)',
  ),
  oidc: option.section(OIDC_RULES),
  decisions: option.section(POLICY_RULES),
  approvals: option.section(APPROVAL_RULES),
  usage: option.section(USAGE_RULES),
  budgets: option.section(BUDGET_RULES),
  calls: option.section(CALLS_RULES),
  gateway: option.section(GATEWAY_RULES),
  incidents: option.section(INCIDENTS_RULES),
  anomalies: option.section(ANOMALIES_RULES),
  outbox: option.section(OUTBOX_RULES),
  devices: option.section(DEVICES_RULES),
  webhooks: option.section(WEBHOOKS_RULES),
  itsm: option.section(ITSM_RULES),
  siem: option.section(SIEM_RULES),
  egress: option.section(EGRESS_RULES),
} satisfies option.RulesOf<GovernanceOptions>;

/** The structure of the module, which must be known before any factory runs. */
export interface GovernanceStructure {
  /**
   * The libraries to compose, such as `[PolicyModule, UsageModule]`. Other libraries have no routes, workers or tables.
   * A library that is added later gets its tables with the next migration. Default: all of them, but not `UsersModule`
   * if `userDirectory` is given.
   */
  libraries?: readonly LibraryModule[];
  /** Modules of the host whose providers the implementations below inject or name with `useExisting`. */
  imports?: NonNullable<ModuleMetadata['imports']>;
  /** Path prefix of all routes, such as `governance`. Default: none. */
  path?: string;
  /** Whether the HTTP routes exist. Without them the module is its services only. Default: true. */
  controllers?: boolean;
  /**
   * Decorators for every controller of this package, such as `[Public(), SkipThrottle()]`: metadata by which the host's
   * global guards and throttlers leave our routes to our own. Default: none.
   */
  routeDecorators?: readonly ClassDecorator[];
  /** Whether `/health/live` and `/health/ready` exist. Default: false. */
  health?: boolean;
  /** The dashboard. Default: none. */
  dashboard?: DashboardStructure;
  /** Whether every module of the host sees the exported services without an import. Default: false. */
  isGlobal?: boolean;
  /**
   * The principal of a request, if the host signs its people in. In a list, the first principal counts: include
   * `BearerPrincipalResolver` to keep access tokens, SCIM and identity providers. Default: bearer tokens.
   */
  principalResolver?: Implementation<PrincipalResolver> | readonly Implementation<PrincipalResolver>[];
  /** Receives sign-ins, refusals and revocations. Default: log lines, a part of them if there are very many. */
  securityEvents?: Implementation<SecurityEvents>;
  /** Receives the audit log and security events, instead of the options `siem`. */
  auditSink?: Implementation<AuditSink>;
  /** The directory of people, if the host implements it. Default: this module's own users. */
  userDirectory?: Implementation<UserDirectory>;
  /** The directory of devices, if the host implements it. Default: those that this module has enrolled. */
  deviceDirectory?: Implementation<DeviceDirectory>;
  /** Prices of models. Default: the genai-prices catalogue. */
  pricingCatalog?: Implementation<PricingCatalog>;
  /** The guard that limits spending before a call. Default: this module's own budgets. */
  spendGuard?: Implementation<SpendGuard>;
  /** Encryption of secrets at rest. Default: envelope encryption under `keys`. */
  secretCipher?: Implementation<SecretCipher>;
  /** Time. Default: the machine's clock. */
  clock?: Implementation<Clock>;
  /** Operators for policy conditions beyond the built-in ones. */
  conditionOperators?: readonly Implementation<ConditionOperator>[];
  /** Ticket platforms beyond the built-in ones. */
  itsmAdapters?: readonly Implementation<ItsmAdapter>[];
  /** Chat platforms for commands beyond the built-in ones. */
  chatAdapters?: readonly Implementation<ChatCommandAdapter>[];
}

/** Keys of {@link GovernanceStructure}. */
export const STRUCTURE_RULES = {
  libraries: option.list(
    option.rule(isClass, 'must be a module such as PolicyModule'),
    'Name at least one, such as PolicyModule, or leave the option out to have all',
  ),
  imports: option.list(option.rule(value => value !== undefined && value !== null, 'must be a module')),
  path: option.rule(value => typeof value === 'string', 'must be a text such as "governance"'),
  controllers: option.flag(),
  routeDecorators: option.list(option.rule(isClass, 'must be a decorator such as SkipThrottle()')),
  health: option.flag(),
  dashboard: option.section(DASHBOARD_RULES),
  isGlobal: option.flag(),
  principalResolver: oneOrMore(implementation(PART_METHODS.principalResolver)),
  securityEvents: implementation(PART_METHODS.securityEvents),
  auditSink: implementation(PART_METHODS.auditSink),
  userDirectory: implementation(PART_METHODS.userDirectory),
  deviceDirectory: implementation(PART_METHODS.deviceDirectory),
  pricingCatalog: implementation(PART_METHODS.pricingCatalog),
  spendGuard: implementation(PART_METHODS.spendGuard),
  secretCipher: implementation(PART_METHODS.secretCipher),
  clock: implementation(PART_METHODS.clock),
  conditionOperators: option.list(implementation(PART_METHODS.conditionOperators)),
  itsmAdapters: option.list(implementation(PART_METHODS.itsmAdapters)),
  chatAdapters: option.list(implementation(PART_METHODS.chatAdapters)),
} satisfies option.RulesOf<GovernanceStructure>;

const builder = new ConfigurableModuleBuilder<GovernanceOptions>({ moduleName: 'Governance' })
  .setClassMethodName('forRoot')
  .setExtras<GovernanceStructure>(
    // The values under the token are then the options without the structure.
    Object.fromEntries(Object.keys(STRUCTURE_RULES).map(name => [name, undefined])),
    definition => definition,
  )
  .build();

/** Base class with `forRoot` and `forRootAsync`. */
export const ConfigurableGovernanceModule = builder.ConfigurableModuleClass;

/** Injection token of the options as the host passed them, before validation. */
export const GIVEN_OPTIONS = builder.MODULE_OPTIONS_TOKEN;

/** Injection token of the validated {@link GovernanceOptions}. */
export const GOVERNANCE_OPTIONS = Symbol('governance.options');

/** Argument of `forRoot`. */
export type ForRootOptions = typeof builder.OPTIONS_TYPE;

/** Argument of `forRootAsync`. */
export type ForRootAsyncOptions = typeof builder.ASYNC_OPTIONS_TYPE;
