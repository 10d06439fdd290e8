import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ChoiceField } from '#access';
import type { FieldError } from '#core';
import { IMPORT_MODES, type ImportMode, type ImportOutcome } from './import-line.js';

/** Options of an import. */
export class ImportUsersQueryDto {
  @ChoiceField(['true', 'false'], {
    optional: true,
    default: 'false',
    description: 'Dry run: reports the outcome of each line and changes nothing.',
  })
  dry_run?: 'true' | 'false';

  @ChoiceField(IMPORT_MODES, {
    optional: true,
    default: 'upsert',
    description: 'How to treat existing users: `create` refuses their lines, `upsert` changes the users.',
  })
  mode?: ImportMode;
}

@ApiSchema({ name: 'GovernanceLineErrorDto' })
class LineErrorDto implements FieldError {
  @ApiProperty({ description: 'The column, or `line` if the whole line is invalid.', example: 'email' })
  field!: string;

  @ApiProperty({ example: 'must be an e-mail address, such as ada@example.com' })
  message!: string;
}

@ApiSchema({ name: 'GovernanceImportedLineDto' })
class ImportedLineDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the line in the file.', example: 3 })
  line!: number;

  @ApiProperty({ type: String, nullable: true, description: 'E-mail address as written in the line.', example: 'ada' })
  email!: string | null;

  @ApiProperty({
    enum: ['created', 'updated', 'unchanged', 'refused'] satisfies ImportOutcome[],
    example: 'refused',
  })
  outcome!: ImportOutcome;

  @ApiProperty({ type: [LineErrorDto], description: 'Faults of the line, if it is refused.' })
  errors!: LineErrorDto[];
}

/** Result of an import. */
@ApiSchema({ name: 'GovernanceUserImportReportDto' })
export class UserImportReportDto {
  @ApiProperty({ description: 'Whether this was a dry run, which changes nothing.', example: false })
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
      'Every line except the header, in the order of the file. If that exceeds 64 KiB and twice the size of the file, ' +
      'only the refused lines, as many as fit.',
  })
  lines!: ImportedLineDto[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'Number of lines that the report omits.',
    example: 49_000,
  })
  lines_omitted?: number;
}
