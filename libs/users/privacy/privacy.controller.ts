import { Readable } from 'node:stream';
import { Body, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
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
import { EraseUserDto, ErasedUserDto, presentErasure } from './erasure.dto.js';
import { PersonalExport } from './personal-export.js';
import { UserErasure } from './user-erasure.js';

const EXAMPLE = '{"table":"users","row":{"id":"0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4","email":"ada@example.com"}}\n';

/** HTTP routes to export and erase the data of a person. */
@GovernanceController('v1/users', 'Users')
export class PrivacyController {
  constructor(
    private readonly exports: PersonalExport,
    private readonly erasure: UserErasure,
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
      'One JSON object per line: the table and the row. Contains every row that is about the user or mentions the id, the ' +
      'e-mail address or a former one, without secrets. The audit log records the export.',
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

  @Post(':id/erase')
  @HttpCode(200)
  @ReadsBody({ optional: true })
  @ApiBody({ type: EraseUserDto, required: false })
  @Requires('users:write')
  @AlsoNeeds(
    ...([
      'tokens:write',
      'audit:read',
      'devices:write',
      'policies:write',
      'decisions:read',
      'approvals:write',
    ] as const),
    ...([
      'incidents:write',
      'usage:write',
      'budgets:write',
      'itsm:write',
      'anomalies:write',
      'webhooks:write',
    ] as const),
  )
  @Refuses(400, 404, [409, 'You cannot erase your own user. Ask another administrator.'], 413, 415)
  @ApiOperation({
    operationId: 'eraseUser',
    summary: "Erase a user's personal data, for good",
    description:
      'Revokes access at once. Deletes addresses, names, devices, links and texts about the person in all tables. Figures, ' +
      'decisions, budgets and the audit log stay under the id, which then names nobody. Safe to repeat.',
  })
  @ApiOkResponse({ type: ErasedUserDto, description: 'How many rows were deleted or changed.' })
  async erase(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { also = [] }: EraseUserDto,
  ): Promise<ErasedUserDto> {
    const texts = also.map(text => text.trim());
    return presentErasure(await this.erasure.erase(actor, id, texts));
  }
}

async function* whole(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
