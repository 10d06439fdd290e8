import type { Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ACCESS_OPTIONS, type AccessOptions } from '#access';
import { CALLS_OPTIONS, type CallsOptions } from '#calls';
import { ANOMALIES_OPTIONS, type AnomaliesOptions } from '#anomalies';
import { Clock, CursorSealer, Keyring, parseKeyring } from '#core';
import { COMPOSITION, type Composition, DATABASE_OPTIONS, type DatabaseOptions, OrgDatabase, openOrm } from '#database';
import { EGRESS_OPTIONS, EgressClient, type EgressOptions } from '#egress';
import { GATEWAY_OPTIONS, type GatewayOptions } from '#gateway';
import { INCIDENTS_OPTIONS, type IncidentsOptions } from '#incidents';
import { ITSM_OPTIONS, type ItsmOptions } from '#itsm';
import { OUTBOX_OPTIONS, type OutboxOptions } from '#outbox';
import { APPROVAL_OPTIONS, type ApprovalOptions, POLICY_OPTIONS, type PolicyOptions } from '#policy';
import { BUDGET_OPTIONS, type BudgetOptions, USAGE_OPTIONS, type UsageOptions } from '#usage';
import { DEVICES_OPTIONS, type DevicesOptions } from '#users';
import { SCHEDULER_OPTIONS, type SchedulerOptions } from '#scheduler';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '#webhooks';
import { checkedValues } from './check-options.js';
import { GIVEN_OPTIONS, GOVERNANCE_OPTIONS, type GovernanceOptions } from './governance.options.js';
import { prepareSchema } from './prepare-schema.js';
import { retentionOf } from './retention.js';

/** Gives each library its part of the options, and opens the database. */
export const optionProviders: Provider[] = [
  {
    provide: GOVERNANCE_OPTIONS,
    inject: [GIVEN_OPTIONS, ModulesContainer],
    useFactory: (given: unknown, modules: ModulesContainer): GovernanceOptions => {
      assertComposedOnce(modules);
      return checkedValues(given);
    },
  },
  {
    provide: DATABASE_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): DatabaseOptions => options.database,
  },
  {
    provide: ACCESS_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: ({
      requestsPerMinute,
      failedSignInsPerMinute,
      trustedProxies,
      identityProviders,
    }: GovernanceOptions): AccessOptions => ({
      ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
      ...(failedSignInsPerMinute === undefined ? {} : { failedSignInsPerMinute }),
      ...(trustedProxies === undefined ? {} : { trustedProxies }),
      ...(identityProviders === undefined ? {} : { identityProviders }),
    }),
  },
  {
    provide: POLICY_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): PolicyOptions => options.decisions ?? {},
  },
  {
    provide: APPROVAL_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): ApprovalOptions => options.approvals ?? {},
  },
  {
    provide: USAGE_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): UsageOptions => options.usage ?? {},
  },
  {
    provide: BUDGET_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): BudgetOptions => options.budgets ?? {},
  },
  {
    provide: CALLS_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): CallsOptions => options.calls ?? {},
  },
  {
    provide: GATEWAY_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): GatewayOptions => options.gateway ?? {},
  },
  {
    provide: SCHEDULER_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: ({ outbox }: GovernanceOptions): SchedulerOptions =>
      outbox?.workers === undefined ? {} : { workers: outbox.workers },
  },
  {
    provide: OUTBOX_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): OutboxOptions => options.outbox ?? {},
  },
  {
    provide: INCIDENTS_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): IncidentsOptions => options.incidents ?? {},
  },
  {
    provide: ANOMALIES_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): AnomaliesOptions => options.anomalies ?? {},
  },
  {
    provide: DEVICES_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): DevicesOptions => options.devices ?? {},
  },
  {
    provide: WEBHOOKS_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): WebhooksOptions => options.webhooks ?? {},
  },
  {
    provide: ITSM_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: ({ itsm, webhooks, devices }: GovernanceOptions): ItsmOptions => ({
      ...(webhooks?.serviceName === undefined ? {} : { serviceName: webhooks.serviceName }),
      ...(devices?.publicUrl === undefined ? {} : { publicUrl: devices.publicUrl }),
      ...itsm,
    }),
  },
  {
    provide: EGRESS_OPTIONS,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): EgressOptions => options.egress ?? {},
  },
  {
    provide: EgressClient,
    inject: [EGRESS_OPTIONS],
    useFactory: (options: EgressOptions): EgressClient => new EgressClient(options),
  },
  {
    provide: Keyring,
    inject: [GOVERNANCE_OPTIONS],
    useFactory: (options: GovernanceOptions): Keyring => parseKeyring(options.keys),
  },
  {
    provide: CursorSealer,
    inject: [Keyring, Clock],
    useFactory: (keyring: Keyring, clock: Clock): CursorSealer => new CursorSealer(keyring, clock),
  },
  {
    provide: OrgDatabase,
    inject: [GOVERNANCE_OPTIONS, COMPOSITION],
    useFactory: async (options: GovernanceOptions, { entities, migrations }: Composition): Promise<OrgDatabase> => {
      await prepareSchema(options.database, migrations, retentionOf(options));
      return new OrgDatabase(await openOrm(options.database, entities), migrations);
    },
  },
];

/** Two cores would both be global, and each would resolve services of the other. */
function assertComposedOnce(modules: ModulesContainer): void {
  const cores = [...modules.values()].filter(({ name }) => name === 'GovernanceCoreModule');
  if (cores.length < 2) return;
  throw new Error(
    `GovernanceModule is set up ${cores.length} times in this application. Call forRoot or forRootAsync once, with ` +
      '`isGlobal: true`, or import the one module that it returns wherever you need it.',
  );
}
