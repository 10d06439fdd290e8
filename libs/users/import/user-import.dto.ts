import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ChoiceField } from '#access';
import type { FieldError } from '#core';
import { IMPORT_MODES, type ImportMode, type ImportOutcome } from './import-line.js';

/** How to import. */
export class ImportUsersQueryDto {
  @ChoiceField(['true', 'false'], {
    optional: true,
    default: 'false',
    description: 'Says what would become of each line, and does nothing.',
  })
  dry_run?: 'true' | 'false';

  @ChoiceField(IMPORT_MODES, {
    optional: true,
    default: 'upsert',
    description: 'What becomes of people who are there already: `create` refuses them, `upsert` changes them.',
  })
  mode?: ImportMode;
}

@ApiSchema({ name: 'GovernanceLineErrorDto' })
class LineErrorDto implements FieldError {
  @ApiProperty({ description: 'The column, or `line` where the line as a whole is at fault.', example: 'email' })
  field!: string;

  @ApiProperty({ example: 'must be an e-mail address, such as ada@example.com' })
  message!: string;
}

@ApiSchema({ name: 'GovernanceImportedLineDto' })
class ImportedLineDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the line in the file.', example: 3 })
  line!: number;

  @ApiProperty({ type: String, nullable: true, description: 'As it stands there.', example: 'ada' })
  email!: string | null;

  @ApiProperty({
    enum: ['created', 'updated', 'unchanged', 'refused'] satisfies ImportOutcome[],
    example: 'refused',
  })
  outcome!: ImportOutcome;

  @ApiProperty({ type: [LineErrorDto], description: 'What is wrong with a line that is refused.' })
  errors!: LineErrorDto[];
}

/** What became of an import. */
@ApiSchema({ name: 'GovernanceUserImportReportDto' })
export class UserImportReportDto {
  @ApiProperty({ description: 'Whether nothing was done.', example: false })
  dry_run!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0, example: 118 })
  created!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 4 })
  updated!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1_077 })
  unchanged!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  refused!: number;

  @ApiProperty({
    type: [ImportedLineDto],
    description:
      'Every line but the header, in the order of the file. If that is more than 64 KiB and more than twice the file, ' +
      'the refused lines only, as many as fit.',
  })
  lines!: ImportedLineDto[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'How many lines the report leaves out.',
    example: 49_000,
  })
  lines_omitted?: number;
}
