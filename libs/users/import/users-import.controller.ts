import { Body, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  answerBytesMax,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  TextBody,
  type Actor,
} from '#access';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '#core';
import { ImportReport } from './import-report.js';
import { UserImporter } from './user-importer.js';
import { ImportUsersQueryDto, UserImportReportDto } from './user-import.dto.js';

const CSV = 'text/csv';
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINES = 100_000;

const EXAMPLE =
  'email,name,department,role,attributes.level:number\r\nada@example.com,Ada Example,Engineering,member,7\r\n';

/** HTTP route of the import. */
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
      '`:number` or `:boolean` appended if it is not text. Invalid lines are reported, the others imported. Sending a ' +
      'file again changes nothing. At most 5 MiB and 100,000 lines.',
    requestBody: { required: true, content: { [CSV]: { schema: { type: 'string' }, example: EXAMPLE } } },
  })
  @ApiOkResponse({ type: UserImportReportDto, description: 'The outcome of each line.' })
  async import(
    @CurrentActor() actor: Actor,
    @Query() query: ImportUsersQueryDto,
    @Body() body: unknown,
  ): Promise<UserImportReportDto> {
    if (body !== undefined && !(body instanceof TextBody)) {
      throw new UnsupportedMediaTypeError(`Send content-type: ${CSV}.`);
    }
    const text = body?.text ?? '';
    // Plus the header line, and the empty text after the last line break.
    if (text.split(/\r\n?|\n/, MAX_LINES + 3).length > MAX_LINES + 2) {
      throw new PayloadTooLargeError('The file may have at most 100,000 lines; split it.');
    }
    const report = new ImportReport(answerBytesMax(Buffer.byteLength(text)));
    const dryRun = query.dry_run === 'true';
    const counts = await this.importer.import(actor, {
      source: [text],
      dryRun,
      mode: query.mode ?? 'upsert',
      onLine: line => report.add(line),
    });
    const { created, updated, unchanged, refused } = counts;
    return { dry_run: dryRun, created, updated, unchanged, refused, ...report.shown };
  }
}
