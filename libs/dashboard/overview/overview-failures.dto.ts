import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import {
  SEVERITIES,
  type OverviewConnectors,
  type OverviewDeliveries,
  type OverviewIncidents,
  type Severity,
} from '#core';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const AT = '2026-11-20T13:00:00.000Z';
const COUNT = { minimum: 0 };

@ApiSchema({ name: 'GovernanceSeverityCountsDto' })
class SeverityCountsDto
  extends dtoOf({
    critical: f.integer(1, undefined, COUNT),
    high: f.integer(2, undefined, COUNT),
    medium: f.integer(0, undefined, COUNT),
    low: f.integer(5, undefined, COUNT),
  })
  implements Record<Severity, number> {}

@ApiSchema({ name: 'GovernanceUrgentIncidentDto' })
class UrgentIncidentDto extends dtoOf({
  id: f.uuid(ID),
  type: f.text('policy_violation'),
  severity: f.choice(SEVERITIES, 'high'),
  subject: f.text('No preview models', 'Name of the violated policy, or a summary of the anomaly.').nullable(),
  user_id: f.text(ID).nullable(),
  user_email: f.text('ada@example.com').nullable(),
  policy_id: f.uuid(ID).nullable(),
  model: f.text('gpt-4o').nullable(),
  occurrences: f.integer(3),
  first_seen_at: f.instant(AT),
  last_seen_at: f.instant(AT),
}) {}

@ApiSchema({ name: 'GovernanceOverviewIncidentsDto' })
export class OverviewIncidentsDto
  extends dtoOf({
    open: f.nested(SeverityCountsDto, 'Open incidents by severity.'),
    newest: f.listOf(UrgentIncidentDto, 'The ten newest open incidents of severity critical or high.'),
  })
  implements OverviewIncidents {}

@ApiSchema({ name: 'GovernanceFailingWebhookDto' })
class FailingWebhookDto extends dtoOf({
  id: f.uuid(ID),
  url: f.text('https://hooks.example.com/governance'),
  description: f.text('SIEM').nullable(),
  enabled: f.flag(true),
  failed: f.integer(4, 'Failed deliveries of the last seven days.'),
  last_failed_at: f.instant(AT),
}) {}

@ApiSchema({ name: 'GovernanceOverviewDeliveriesDto' })
export class OverviewDeliveriesDto
  extends dtoOf({
    failed: f.integer(4, 'Failed deliveries of the last seven days.', COUNT),
    webhooks: f.listOf(FailingWebhookDto, 'The ten webhooks with the most failed deliveries.'),
  })
  implements OverviewDeliveries {}

@ApiSchema({ name: 'GovernanceFailingConnectorDto' })
class FailingConnectorDto extends dtoOf({
  id: f.uuid(ID),
  name: f.text('Service desk'),
  kind: f.text('jira'),
  problem_code: f.text('unauthorized'),
  problem_message: f.text('Whether the platform refuses the credentials.').nullable(),
  problem_since: f.instant(AT),
}) {}

@ApiSchema({ name: 'GovernanceOverviewConnectorsDto' })
export class OverviewConnectorsDto
  extends dtoOf({
    failing: f.listOf(FailingConnectorDto, 'Active connectors that open no tickets, at most ten.'),
    tickets_not_created: f.integer(0, 'Tickets that the platform refused, or whose creation is uncertain.', COUNT),
  })
  implements OverviewConnectors {}
