import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChoiceField } from '#access';
import type { Json } from '#core';
import type { ApplyReport } from '../configuration.service.js';
import { OUTCOMES, type Outcome } from '../plan/plan.js';

/** Any JSON value. */
const JSON_VALUE = {
  oneOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: {} },
    { type: 'object' },
  ],
  nullable: true,
};

const POLICY = { name: 'No GPT-4 outside research', action: 'block', model: 'gpt-4*' };

/** Schema of a document: a version, and lists of objects or single settings by kind. */
export const DOCUMENT_SCHEMA = {
  type: 'object',
  required: ['version'],
  properties: { version: { type: 'integer', enum: [1], description: 'Version of the format.' } },
  additionalProperties: true,
  example: { version: 1, organization: { time_zone: 'Europe/Berlin' }, policies: [POLICY] },
};

const FLAG = ['true', 'false'] as const;

/** How a document is applied. */
export class ApplyQueryDto {
  @ChoiceField(FLAG, { optional: true, default: 'false', description: 'Only report what would change.' })
  dry_run?: 'true' | 'false';

  @ChoiceField(FLAG, {
    optional: true,
    default: 'false',
    description: 'Remove objects that the document lacks, of the kinds that it names.',
  })
  prune?: 'true' | 'false';
}

@ApiSchema({ name: 'GovernanceConfigurationChangeDto' })
class FieldChangeDto {
  @ApiProperty({ example: 'action' })
  field!: string;

  @ApiProperty({ ...JSON_VALUE, description: 'Null if there was no value. Secrets are not shown.', example: 'alert' })
  from!: Json;

  @ApiProperty({ ...JSON_VALUE, description: 'Null if there is no value. Secrets are not shown.', example: 'block' })
  to!: Json;
}

@ApiSchema({ name: 'GovernanceConfigurationObjectDto' })
class ConfiguredObjectDto {
  @ApiProperty({ example: 'policies' })
  kind!: string;

  @ApiProperty({ example: POLICY.name })
  name!: string;

  @ApiProperty({
    enum: OUTCOMES,
    description: '`unlisted`: the document does not contain it, and it stays, because `prune` is false.',
    example: 'changed',
  })
  outcome!: Outcome;

  @ApiProperty({ type: [FieldChangeDto] })
  changes!: FieldChangeDto[];

  @ApiProperty({
    required: false,
    description: 'Only for a new webhook: signs its deliveries. It is shown only here.',
    example: 'whsec_<44 characters of base64>',
  })
  signing_secret?: string;
}

@ApiSchema({ name: 'GovernanceConfigurationCountsDto' })
class OutcomeCountsDto implements Record<Outcome, number> {
  @ApiProperty({ type: 'integer', example: 0 })
  created!: number;

  @ApiProperty({ type: 'integer', example: 1 })
  changed!: number;

  @ApiProperty({ type: 'integer', example: 12 })
  unchanged!: number;

  @ApiProperty({ type: 'integer', example: 0 })
  pruned!: number;

  @ApiProperty({ type: 'integer', example: 0 })
  unlisted!: number;
}

/** The changes that a document made, or would make. */
@ApiSchema({ name: 'GovernanceConfigurationReportDto' })
export class ConfigurationReportDto {
  @ApiProperty({ description: 'True if nothing was changed.', example: false })
  dry_run!: boolean;

  @ApiProperty({ type: OutcomeCountsDto })
  counts!: OutcomeCountsDto;

  @ApiProperty({ type: [ConfiguredObjectDto], description: 'All objects except unchanged ones.' })
  objects!: ConfiguredObjectDto[];
}

/** A report as the API shows it. */
export function presentReport({ dryRun, counts, objects }: ApplyReport): ConfigurationReportDto {
  return {
    dry_run: dryRun,
    counts: { ...counts },
    objects: objects.map(({ kind, name, outcome, changes, shownOnce }) => {
      const secret = shownOnce?.['signing_secret'];
      const shown = { kind, name, outcome, changes: [...changes] };
      return secret === undefined ? shown : Object.assign(shown, { signing_secret: secret });
    }),
  };
}
