import { Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, type Page, pageOf } from '#core';
import { ApiPage } from '../http/page.dto.js';
import { CurrentActor, GovernanceController, Refuses, Requires, ResourceId } from '../http/routes.decorators.js';
import type { Actor } from '../principals/principal.js';
import { IdentityLinks } from './identity-links.js';
import { IdentityResponseDto, ListIdentitiesQueryDto, presentIdentity } from './identity.dto.js';

/** Which accounts at identity providers are which users of the caller's organization. */
@GovernanceController('v1/identities', 'Identities')
export class IdentityController {
  constructor(
    private readonly links: IdentityLinks,
    private readonly cursors: CursorSealer,
  ) {}

  @Get()
  @Requires('tokens:read')
  @Refuses(400)
  @ApiOperation({
    operationId: 'listIdentities',
    summary: 'List accounts at identity providers that are linked to users, newest first',
    description: 'An account is linked at its first verified sign-in. From then on only its `sub` counts.',
  })
  @ApiPage(IdentityResponseDto)
  async list(
    @CurrentActor() { orgId }: Actor,
    @Query() query: ListIdentitiesQueryDto,
  ): Promise<Page<IdentityResponseDto>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const userId = query.user_id?.toLowerCase();
    const filters = digestFilters('identities', { user_id: userId ?? null });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, filters, query.cursor);
    const after = opened && String(opened.position[0]);
    const totalCount = opened?.totalCount ?? (await this.links.count(orgId, userId));
    const rows = await this.links.list(orgId, { userId, after, limit: limit + 1 });
    const cursorAfter = ({ id }: { id: string }) => this.cursors.seal(orgId, filters, { position: [id], totalCount });
    return pageOf(rows, limit, presentIdentity, cursorAfter, totalCount);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('tokens:write')
  @Refuses(404)
  @ApiOperation({
    operationId: 'deleteIdentity',
    summary: 'Unlink an account from its user',
    description:
      'For a person whose account at the identity provider was deleted and created again: their next verified sign-in ' +
      'links the new account. No replica accepts the old link after one second.',
  })
  @ApiNoContentResponse({ description: 'The account is linked to nobody.' })
  async remove(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    await this.links.unlink(actor, id);
  }
}
