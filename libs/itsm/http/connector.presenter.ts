import { presenterOf } from '#access';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { settingsSchemaOf } from '../connectors/common-settings.js';
import type { Connector } from '../connectors/connector.entity.js';
import { reportSecretSchemas } from '../connectors/report-secret.js';
import type { TestedConnector } from '../delivery/connector-test.js';
import { ConnectorResponseDto } from './connector.dto.js';
import type { ConnectorKindDto } from './kind.dto.js';
import type { ConnectorTestDto } from './ticket.dto.js';

/** A connector as the API shows it, without its secrets. */
export const presentConnector = presenterOf(ConnectorResponseDto, ({ secretNames, problem }: Connector) => ({
  secret_names: [...secretNames],
  problem: problem && { ...problem, since: problem.since.toISOString() },
}));

/** A platform as the API shows it. */
export function presentKind(adapter: ItsmAdapter): ConnectorKindDto {
  const { kind, title, settingsSchema, secretsSchema } = adapter;
  // `create` matters only to the ticket ledger, so the API does not show it.
  const { create: _, ...capabilities } = adapter.capabilities;
  const properties = { ...Object(secretsSchema['properties']), ...reportSecretSchemas(adapter) };
  const secrets_schema = { ...secretsSchema, properties };
  return { kind, title, settings_schema: settingsSchemaOf({ settingsSchema }), secrets_schema, capabilities };
}

/** Result of a connector test as the API shows it. */
export function presentTest(connectorId: string, { checks, ticket }: TestedConnector): ConnectorTestDto {
  return {
    connector_id: connectorId,
    passed: ticket?.sync_state === 'created' && checks.every(({ status }) => status !== 'failed'),
    checks: [...checks],
    external_ticket_id: ticket?.external_ticket_id ?? null,
    ticket,
  };
}
