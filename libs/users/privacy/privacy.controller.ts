import { Readable } from 'node:stream';
import { HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AlsoNeeds,
  AnswerWriter,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  streamedAnswer,
  type Actor,
  type HttpResponse,
} from '#access';
import { PersonalExport } from './personal-export.js';

const EXAMPLE = '{"table":"users","row":{"id":"0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4","email":"ada@example.com"}}\n';

/** HTTP routes for the data of single people. */
@GovernanceController('v1/users', 'Users')
export class PrivacyController {
  constructor(
    private readonly exports: PersonalExport,
    private readonly answers: AnswerWriter,
  ) {}

  @Post(':id/export')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  @Requires('users:read')
  @AlsoNeeds(
    ...(['tokens:read', 'audit:read', 'devices:read', 'policies:read', 'decisions:read', 'approvals:read'] as const),
    ...(['incidents:read', 'usage:read', 'budgets:read', 'itsm:read', 'anomalies:read', 'webhooks:read'] as const),
  )
  @Refuses(404, 413, 415)
  @ApiOperation({
    operationId: 'exportUser',
    summary: 'Export everything that is kept about a user',
    description:
      'One JSON object per line: the table and the row. Contains every row that is about the user or mentions the id or ' +
      'the e-mail address, without secrets. The audit log records the export.',
  })
  @ApiOkResponse({
    description: 'The rows, table by table.',
    content: { 'application/x-ndjson': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  async export(@CurrentActor() actor: Actor, @ResourceId() id: string, @Res() response: HttpResponse): Promise<void> {
    const lines = this.exports.lines(actor, id);
    // The first chunk is read before the response starts, so that an early failure becomes an error response.
    const first = await lines.next();
    const content = Readable.from(whole(first.done ? '' : first.value, lines), { objectMode: false });
    const disposition = `attachment; filename="user-${id}.ndjson"`;
    this.answers.write(response, streamedAnswer(content, { type: 'application/x-ndjson; charset=utf-8', disposition }));
  }
}

async function* whole(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
