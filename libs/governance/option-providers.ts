import type { Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ACCESS_OPTIONS, type AccessOptions } from '#access';
import { CALLS_OPTIONS } from '#calls';
import { ANOMALIES_OPTIONS } from '#anomalies';
import { OIDC_OPTIONS, type OidcOptions } from '#dashboard';
import { Clock, CursorSealer, defined, Keyring, parseKeyring } from '#core';
import { COMPOSITION, type Composition, DATABASE_OPTIONS, OrgDatabase, openOrm } from '#database';
import { EGRESS_OPTIONS, EgressClient, type EgressOptions } from '#egress';
import { GATEWAY_OPTIONS } from '#gateway';
import { INCIDENTS_OPTIONS } from '#incidents';
import { ITSM_OPTIONS, type ItsmOptions } from '#itsm';
import { OUTBOX_OPTIONS } from '#outbox';
import { APPROVAL_OPTIONS, POLICY_OPTIONS } from '#policy';
import { BUDGET_OPTIONS, USAGE_OPTIONS } from '#usage';
import { DEVICES_OPTIONS } from '#users';
import { SIEM_OPTIONS } from '#siem';
import { SCHEDULER_OPTIONS, type SchedulerOptions } from '#scheduler';
import { WEBHOOKS_OPTIONS } from '#webhooks';
import { assertAppRole } from './app-role.js';
import { checkedValues } from './check-options.js';
import { GIVEN_OPTIONS, GOVERNANCE_OPTIONS, type GovernanceOptions } from './governance.options.js';
import { prepareSchema } from './prepare-schema.js';
import { retentionOf } from './retention.js';

/** Injection token of the path of the dashboard below the module's own path; null if there is no dashboard. */
export const DASHBOARD_PATH = Symbol('governance.dashboard-path');

type PartOf = (options: GovernanceOptions, dashboardPath: string | null) => object | undefined;

/** The part of the options that each library gets. */
const PARTS: readonly [token: symbol, part: PartOf][] = [
  [DATABASE_OPTIONS, ({ database }) => database],
  [ACCESS_OPTIONS, accessOf],
  [OIDC_OPTIONS, ({ oidc, devices }): OidcOptions => ({ ...defined({ publicUrl: devices?.publicUrl }), ...oidc })],
  [POLICY_OPTIONS, ({ decisions }) => decisions],
  [APPROVAL_OPTIONS, ({ approvals }) => approvals],
  [USAGE_OPTIONS, ({ usage }) => usage],
  [BUDGET_OPTIONS, ({ budgets }) => budgets],
  [CALLS_OPTIONS, ({ calls }) => calls],
  [GATEWAY_OPTIONS, ({ gateway }) => gateway],
  [SCHEDULER_OPTIONS, ({ outbox }): SchedulerOptions => defined({ workers: outbox?.workers })],
  [OUTBOX_OPTIONS, ({ outbox }) => outbox],
  [INCIDENTS_OPTIONS, ({ incidents }) => incidents],
  [ANOMALIES_OPTIONS, ({ anomalies }) => anomalies],
  [DEVICES_OPTIONS, ({ devices }) => devices],
  [WEBHOOKS_OPTIONS, ({ webhooks }) => webhooks],
  [ITSM_OPTIONS, itsmOf],
  [SIEM_OPTIONS, ({ siem }) => siem],
  [EGRESS_OPTIONS, ({ egress }) => egress],
];

function accessOf(options: GovernanceOptions): AccessOptions {
  const { requestsPerMinute, failedSignInsPerMinute, trustedProxies, identityProviders, auditRetentionDays } = options;
  return defined({ requestsPerMinute, failedSignInsPerMinute, trustedProxies, identityProviders, auditRetentionDays });
}

/** If the module serves the dashboard, the URL of the dashboard is derived from the module's URL. */
function itsmOf({ itsm, webhooks, devices }: GovernanceOptions, dashboardPath: string | null): ItsmOptions {
  const given = { ...defined({ serviceName: webhooks?.serviceName, publicUrl: devices?.publicUrl }), ...itsm };
  const { publicUrl, dashboardUrl } = given;
  if (dashboardPath === null || publicUrl === undefined || dashboardUrl !== undefined) return given;
  return { ...given, dashboardUrl: `${publicUrl.replace(/\/+$/, '')}/${dashboardPath}` };
}

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
  ...PARTS.map(([provide, part]) => ({
    provide,
    inject: [GOVERNANCE_OPTIONS, DASHBOARD_PATH],
    useFactory: (options: GovernanceOptions, dashboardPath: string | null): object =>
      part(options, dashboardPath) ?? {},
  })),
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
      return assertAppRole(new OrgDatabase(await openOrm(options.database, entities), migrations));
    },
  },
];

/** Two cores would both be global, and each would inject services of the other. */
function assertComposedOnce(modules: ModulesContainer): void {
  const cores = [...modules.values()].filter(({ name }) => name === 'GovernanceCoreModule');
  if (cores.length < 2) return;
  throw new Error(
    `GovernanceModule is set up ${cores.length} times in this application. Call forRoot or forRootAsync once, with ` +
      '`isGlobal: true`, or import the one module that it returns wherever you need it.',
  );
}
