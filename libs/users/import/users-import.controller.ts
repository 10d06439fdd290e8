import { Body, Header, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import {
  acceptsProgress,
  answerBytesMax,
  AnswerWriter,
  CurrentActor,
  GovernanceController,
  PROGRESS_LINES,
  progressLines,
  ReadsBody,
  Refuses,
  Requires,
  streamedAnswer,
  TextBody,
  type Actor,
  type HttpResponse,
} from '#access';
import { PayloadTooLargeError, UnavailableError, UnsupportedMediaTypeError } from '#core';
import { ImportReport } from './import-report.js';
import { UserImporter, type UserImportRequest } from './user-importer.js';
import { ImportUsersQueryDto, UserImportReportDto } from './user-import.dto.js';

const CSV = 'text/csv';
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINES = 100_000;

const EXAMPLE =
  'email,name,department,role,attributes.level:number\r\nada@example.com,Ada Example,Engineering,member,7\r\n';

const LINES_EXAMPLE =
  '{"progress":{"lines":0}}\n{"progress":{"lines":1000}}\n' +
  '{"result":{"dry_run":false,"created":118,"updated":4,"unchanged":1077,"refused":1}}\n';

/** HTTP route of the import. */
@GovernanceController('v1/users/import', 'Users')
export class UsersImportController {
  constructor(
    private readonly importer: UserImporter,
    private readonly answers: AnswerWriter,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Vary', 'Accept')
  @Header('Cache-Control', 'no-store')
  @Requires('users:write')
  @ReadsBody({ maxBytes: MAX_BYTES, textTypes: [CSV] })
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'importUsers',
    summary: 'Import users from CSV, with a report per line',
    description:
      'The first line names the columns: `email`, `name`, `department`, `role`, `status`, and `attributes.<name>`, with ' +
      '`:number` or `:boolean` appended if it is not text. Invalid lines are reported, the others imported. Sending a ' +
      'file again changes nothing. At most 5 MiB and 100,000 lines. ' +
      `As ${PROGRESS_LINES}, lines report progress, and the last line has the result; a stream without it has failed. ` +
      'If you close the connection of such an answer, the import stops; what was imported stays.',
    requestBody: { required: true, content: { [CSV]: { schema: { type: 'string' }, example: EXAMPLE } } },
  })
  @ApiHeader({
    name: 'accept',
    required: false,
    description: `\`${PROGRESS_LINES}\` for progress lines.`,
    schema: { type: 'string', enum: ['application/json', PROGRESS_LINES] },
  })
  @ApiExtraModels(UserImportReportDto)
  @ApiOkResponse({
    description: 'The outcome of each line.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(UserImportReportDto) } },
      [PROGRESS_LINES]: { schema: { type: 'string' }, example: LINES_EXAMPLE },
    },
  })
  async import(
    @CurrentActor() actor: Actor,
    @Query() query: ImportUsersQueryDto,
    @Body() body: unknown,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    if (body !== undefined && !(body instanceof TextBody)) {
      throw new UnsupportedMediaTypeError(`Send content-type: ${CSV}.`);
    }
    const text = body?.text ?? '';
    // Besides the lines, the text may contain the header line and an empty text after the last line break.
    if (text.split(/\r\n?|\n/, MAX_LINES + 3).length > MAX_LINES + 2) {
      throw new PayloadTooLargeError('The file may have at most 100,000 lines; split it.');
    }
    if (!acceptsProgress(accept)) {
      this.answers.write(response, await this.run(actor, query, text));
      return;
    }
    const lines = await progressLines((signal, onProgress) => {
      const told = (lines: number): void => onProgress({ lines });
      return this.run(actor, query, text, { onProgress: told, signal });
    }, gone);
    this.answers.write(response, streamedAnswer(lines, { type: `${PROGRESS_LINES}; charset=utf-8` }));
  }

  private async run(
    actor: Actor,
    query: ImportUsersQueryDto,
    text: string,
    watch: Pick<UserImportRequest, 'onProgress' | 'signal'> = {},
  ): Promise<UserImportReportDto> {
    const report = new ImportReport(answerBytesMax(Buffer.byteLength(text)));
    const dryRun = query.dry_run === 'true';
    const { created, updated, unchanged, refused } = await this.importer.import(actor, {
      source: [text],
      dryRun,
      mode: query.mode ?? 'upsert',
      onLine: line => report.add(line),
      ...watch,
    });
    return { dry_run: dryRun, created, updated, unchanged, refused, ...report.shown };
  }
}

function gone(): UnavailableError {
  return new UnavailableError('The client disconnected.');
}
