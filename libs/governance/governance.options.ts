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
  /** Connection to PostgreSQL 15 or newer. All tables are in the separate schema `governance`. */
  database: DatabaseOptions & {
    /**
     * `run`: update the schema at boot. `check`: if the schema is outdated, abort the boot with the command to run.
     * Default: `check`.
     */
    migrations?: 'run' | 'check';
    /**
     * URL with another role, which runs the migrations. That role grants `governance_app` to the role of `url`, which
     * then needs no rights of its own. Default: `url`.
     */
    migrationUrl?: string;
  };
  /**
   * Keyring that encrypts cursors and stored secrets, as `id:base64 of 32 bytes[,…]`. All keys can decrypt; the first
   * key encrypts. Give every replica the same keyring.
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
  /**
   * Sign-in to the dashboard with an account at an OpenID Connect provider. Requires `dashboard: { sessions: true }`.
   */
  oidc?: OidcOptions;
  /** Default decisions if no policy matches or the user is unknown. Also determines which decisions are recorded. */
  decisions?: PolicyOptions;
  /** Who may decide about approval requests, how long requests wait, and how long grants last. */
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
  /** Settings of the gateway to LLM providers. */
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

/** Rules of the options in `database`. */
export const SCHEMA_RULES = {
  ...DATABASE_RULES,
  migrations: option.choice(['run', 'check']),
  migrationUrl: databaseUrl(),
} satisfies option.RulesOf<GovernanceOptions['database']>;

/** Rules of {@link GovernanceOptions}. */
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

/** The structure of the module. It must be known before any factory runs. */
export interface GovernanceStructure {
  /**
   * The libraries to compose, such as `[PolicyModule, UsageModule]`. Libraries that are not listed have no routes,
   * workers or tables. If a library is added later, the next migration creates its tables. Default: all libraries, but
   * without `UsersModule` if `userDirectory` is given.
   */
  libraries?: readonly LibraryModule[];
  /**
   * Modules of the host. Their providers can be injected by the implementations below, or be named with `useExisting`.
   */
  imports?: NonNullable<ModuleMetadata['imports']>;
  /** Path prefix of all routes, such as `governance`. Default: none. */
  path?: string;
  /** Whether the HTTP routes exist. If false, the module only provides services. Default: true. */
  controllers?: boolean;
  /**
   * Decorators for every controller of this package, such as `[Public(), SkipThrottle()]`. They can contain metadata
   * that exempts these routes from the host's global guards and throttlers. Default: none.
   */
  routeDecorators?: readonly ClassDecorator[];
  /** Whether `/health/live` and `/health/ready` exist. Default: false. */
  health?: boolean;
  /** The dashboard. Default: none. */
  dashboard?: DashboardStructure;
  /** Whether every module of the host can inject the exported services without an import. Default: false. */
  isGlobal?: boolean;
  /**
   * Determines the principal of a request, if the host signs people in. In a list, the first resolver that returns a
   * principal counts. Include `BearerPrincipalResolver` to keep access tokens, SCIM and identity providers. Default:
   * bearer tokens.
   */
  principalResolver?: Implementation<PrincipalResolver> | readonly Implementation<PrincipalResolver>[];
  /**
   * Receives sign-ins, refusals and revocations. Default: writes log lines; in a flood of events, only some of them.
   */
  securityEvents?: Implementation<SecurityEvents>;
  /** Receives the audit log and security events. Replaces the options `siem`. */
  auditSink?: Implementation<AuditSink>;
  /** The directory of users, if the host implements it. Default: this module's own users. */
  userDirectory?: Implementation<UserDirectory>;
  /** The directory of devices, if the host implements it. Default: devices that were enrolled with this module. */
  deviceDirectory?: Implementation<DeviceDirectory>;
  /** Prices of models. Default: the genai-prices catalogue. */
  pricingCatalog?: Implementation<PricingCatalog>;
  /** The guard that limits spending before a call. Default: this module's budgets. */
  spendGuard?: Implementation<SpendGuard>;
  /** Encryption of secrets at rest. Default: envelope encryption under `keys`. */
  secretCipher?: Implementation<SecretCipher>;
  /** Source of the current time. Default: the machine's clock. */
  clock?: Implementation<Clock>;
  /** Operators for policy conditions, in addition to the built-in operators. */
  conditionOperators?: readonly Implementation<ConditionOperator>[];
  /** Ticket platforms, in addition to the built-in platforms. */
  itsmAdapters?: readonly Implementation<ItsmAdapter>[];
  /** Chat platforms for commands, in addition to the built-in platforms. */
  chatAdapters?: readonly Implementation<ChatCommandAdapter>[];
}

/** Rules of {@link GovernanceStructure}. */
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
    // Nest then stores only the options without the structure under the token.
    Object.fromEntries(Object.keys(STRUCTURE_RULES).map(name => [name, undefined])),
    definition => definition,
  )
  .build();

/** Base class with `forRoot` and `forRootAsync`. */
export const ConfigurableGovernanceModule = builder.ConfigurableModuleClass;

/** Injection token of the options before validation, as the host passed them. */
export const GIVEN_OPTIONS = builder.MODULE_OPTIONS_TOKEN;

/** Injection token of the validated {@link GovernanceOptions}. */
export const GOVERNANCE_OPTIONS = Symbol('governance.options');

/** Argument of `forRoot`. */
export type ForRootOptions = typeof builder.OPTIONS_TYPE;

/** Argument of `forRootAsync`. */
export type ForRootAsyncOptions = typeof builder.ASYNC_OPTIONS_TYPE;
