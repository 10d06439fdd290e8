import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  SEVERITIES,
  type OverviewConnectors,
  type OverviewDeliveries,
  type OverviewIncidents,
  type Severity,
} from '#core';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const AT = '2026-11-20T13:00:00.000Z';
const COUNT = { type: 'integer', minimum: 0 } as const;

@ApiSchema({ name: 'GovernanceSeverityCountsDto' })
class SeverityCountsDto implements Record<Severity, number> {
  @ApiProperty({ ...COUNT, example: 1 })
  critical!: number;

  @ApiProperty({ ...COUNT, example: 2 })
  high!: number;

  @ApiProperty({ ...COUNT, example: 0 })
  medium!: number;

  @ApiProperty({ ...COUNT, example: 5 })
  low!: number;
}

@ApiSchema({ name: 'GovernanceUrgentIncidentDto' })
class UrgentIncidentDto {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ example: 'policy_violation' })
  type!: string;

  @ApiProperty({ enum: SEVERITIES, example: 'high' })
  severity!: Severity;

  @ApiProperty({ type: String, nullable: true, example: ID })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: ID })
  policy_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'gpt-4o' })
  model!: string | null;

  @ApiProperty({ type: 'integer', example: 3 })
  occurrences!: number;

  @ApiProperty({ format: 'date-time', example: AT })
  first_seen_at!: string;

  @ApiProperty({ format: 'date-time', example: AT })
  last_seen_at!: string;
}

@ApiSchema({ name: 'GovernanceOverviewIncidentsDto' })
export class OverviewIncidentsDto implements OverviewIncidents {
  @ApiProperty({ type: SeverityCountsDto, description: 'Open incidents by severity.' })
  open!: SeverityCountsDto;

  @ApiProperty({
    type: [UrgentIncidentDto],
    description: 'The ten newest open incidents of severity critical or high.',
  })
  newest!: UrgentIncidentDto[];
}

@ApiSchema({ name: 'GovernanceFailingWebhookDto' })
class FailingWebhookDto {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ example: 'https://hooks.example.com/governance' })
  url!: string;

  @ApiProperty({ type: String, nullable: true, example: 'SIEM' })
  description!: string | null;

  @ApiProperty({ example: true })
  enabled!: boolean;

  @ApiProperty({ type: 'integer', description: 'Failed deliveries of the last seven days.', example: 4 })
  failed!: number;

  @ApiProperty({ format: 'date-time', example: AT })
  last_failed_at!: string;
}

@ApiSchema({ name: 'GovernanceOverviewDeliveriesDto' })
export class OverviewDeliveriesDto implements OverviewDeliveries {
  @ApiProperty({ ...COUNT, description: 'Failed deliveries of the last seven days.', example: 4 })
  failed!: number;

  @ApiProperty({ type: [FailingWebhookDto], description: 'The ten webhooks with the most failed deliveries.' })
  webhooks!: FailingWebhookDto[];
}

@ApiSchema({ name: 'GovernanceFailingConnectorDto' })
class FailingConnectorDto {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ example: 'Service desk' })
  name!: string;

  @ApiProperty({ example: 'jira' })
  kind!: string;

  @ApiProperty({ example: 'unauthorized' })
  problem_code!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Whether the platform refuses the credentials.' })
  problem_message!: string | null;

  @ApiProperty({ format: 'date-time', example: AT })
  problem_since!: string;
}

@ApiSchema({ name: 'GovernanceOverviewConnectorsDto' })
export class OverviewConnectorsDto implements OverviewConnectors {
  @ApiProperty({ type: [FailingConnectorDto], description: 'Active connectors that open no tickets, at most ten.' })
  failing!: FailingConnectorDto[];

  @ApiProperty({
    ...COUNT,
    description: 'Tickets that the platform refused, or whose creation is uncertain.',
    example: 0,
  })
  tickets_not_created!: number;
}
