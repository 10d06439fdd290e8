import { Body, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, ReadsBody, Refuses, Requires, TextBody, type Actor } from '#access';
import { UnsupportedMediaTypeError } from '#core';
import { UserImporter, type ImportedLine } from './user-importer.js';
import { ImportUsersQueryDto, UserImportReportDto } from './user-import.dto.js';

const CSV = 'text/csv';
const MAX_BYTES = 5 * 1024 * 1024;
/** Characters that the parser gets at once; others have their turn in between. */
const PIECE = 64 * 1024;

const EXAMPLE =
  'email,name,department,role,attributes.level:number\r\nada@example.com,Ada Example,Engineering,member,7\r\n';

/** People from a file. */
@GovernanceController('v1/users/import', 'Users')
export class UsersImportController {
  constructor(private readonly importer: UserImporter) {}

  @Post()
  @HttpCode(200)
  @Requires('users:write')
  @ReadsBody({ maxBytes: MAX_BYTES, textTypes: [CSV] })
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'importUsers',
    summary: 'Import users from CSV, with a report per line',
    description:
      'The first line names the columns: `email`, `name`, `department`, `role`, `status`, and `attributes.<name>`, with ' +
      '`:number` or `:boolean` behind it where it holds no text. Lines at fault are named and the others kept; sending a ' +
      'file again changes nothing. At most 5 MiB.',
    requestBody: { required: true, content: { [CSV]: { schema: { type: 'string' }, example: EXAMPLE } } },
  })
  @ApiOkResponse({ type: UserImportReportDto, description: 'What became of each line.' })
  async import(
    @CurrentActor() actor: Actor,
    @Query() query: ImportUsersQueryDto,
    @Body() body: unknown,
  ): Promise<UserImportReportDto> {
    if (body !== undefined && !(body instanceof TextBody)) {
      throw new UnsupportedMediaTypeError(`Send content-type: ${CSV}.`);
    }
    const lines: ImportedLine[] = [];
    const dryRun = query.dry_run === 'true';
    const counts = await this.importer.import(actor, {
      source: piecesOf(body?.text ?? ''),
      dryRun,
      mode: query.mode ?? 'upsert',
      onLine: line => lines.push(line),
    });
    const { created, updated, unchanged, refused } = counts;
    return { dry_run: dryRun, created, updated, unchanged, refused, lines };
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}
