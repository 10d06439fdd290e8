import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f } from '#access';
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
class LineErrorDto
  extends dtoOf({
    field: f.text('email', 'The column, or `line` if the whole line is invalid.'),
    message: f.text('must be an e-mail address, such as ada@example.com'),
  })
  implements FieldError {}

@ApiSchema({ name: 'GovernanceImportedLineDto' })
class ImportedLineDto extends dtoOf({
  line: f.integer(3, 'Number of the line in the file.', { minimum: 1 }),
  email: f.text('ada', 'E-mail address as written in the line.').nullable(),
  outcome: f.choice(['created', 'updated', 'unchanged', 'refused'] satisfies ImportOutcome[], 'refused'),
  errors: f.listOf(LineErrorDto, 'Faults of the line, if it is refused.'),
}) {}

/** Result of an import. */
@ApiSchema({ name: 'GovernanceUserImportReportDto' })
export class UserImportReportDto extends dtoOf({
  dry_run: f.flag(false, 'Whether this was a dry run, which changes nothing.'),
  created: f.integer(118, undefined, { minimum: 0 }),
  updated: f.integer(4, undefined, { minimum: 0 }),
  unchanged: f.integer(1_077, undefined, { minimum: 0 }),
  refused: f.integer(1, undefined, { minimum: 0 }),
  lines: f.listOf(
    ImportedLineDto,
    'Every line except the header, in the order of the file. If that exceeds 64 KiB and twice the size of the file, ' +
      'only the refused lines, as many as fit.',
  ),
  lines_omitted: f.integer(49_000, 'Number of lines that the report omits.', { minimum: 1 }).optional(),
}) {}
