import { Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import type { Page } from '#core';
import { ApiPage } from '../http/page.dto.js';
import { CurrentActor, GovernanceController, Refuses, Requires, ResourceId } from '../http/routes.decorators.js';
import type { Actor } from '../principals/principal.js';
import { IdentityLinks } from '../identities/identity-links.js';
import { IdentityListService } from '../identities/identity-list.service.js';
import { IdentityResponseDto, ListIdentitiesQueryDto, presentIdentity } from './identity.dto.js';

/** Lists the links between accounts at identity providers and users. */
@GovernanceController('v1/identities', 'Identities')
export class IdentityController {
  constructor(
    private readonly links: IdentityLinks,
    private readonly lists: IdentityListService,
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
    return this.lists.list(orgId, query, presentIdentity);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('tokens:write')
  @Refuses(404)
  @ApiOperation({
    operationId: 'deleteIdentity',
    summary: 'Unlink an account from its user',
    description:
      'Use it if an account was deleted and created again at the identity provider: the next verified sign-in links the new ' +
      'account. Every replica refuses the old link within a second.',
  })
  @ApiNoContentResponse({ description: 'The account is unlinked.' })
  async remove(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    await this.links.unlink(actor, id);
  }
}
