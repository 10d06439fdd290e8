import { Body, Delete, Get, Header, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { defined, type Page } from '#core';
import { ApiPage } from '../http/page.dto.js';
import {
  CurrentActor,
  GovernanceController,
  NO_STORE,
  Refuses,
  Requires,
  ResourceId,
  SometimesNeeds,
} from '../http/routes.decorators.js';
import type { Actor } from '../principals/principal.js';
import { CreatedTokenResponseDto, presentIssuedToken, presentToken, TokenResponseDto } from './token-response.dto.js';
import {
  CreateTokenDto,
  ListTokensQueryDto,
  RevokedTokensDto,
  RevokeTokensQueryDto,
  RotateTokenDto,
} from './token.dto.js';
import { SuppliedTokenError, TokenRotation } from '../tokens/token-rotation.js';
import { TokenKeys } from '../tokens/token-keys.js';
import { TokenListService } from '../tokens/token-list.service.js';

/** Default number of hours for which the former secret stays valid after a rotation. */
const OVERLAP_HOURS = 24;

/** Manages the access tokens of the caller's organization. */
@GovernanceController('v1/tokens', 'Access tokens')
export class TokenController {
  constructor(
    private readonly lists: TokenListService,
    private readonly rotation: TokenRotation,
    private readonly keys: TokenKeys,
  ) {}

  @Post()
  // The response contains a secret, so caches must not store it.
  @Header('Cache-Control', 'no-store')
  @Requires('tokens:write')
  @SometimesNeeds(
    { scopes: 'those of the new token', when: 'you lack one of them: a token can do no more than you' },
    { scopes: ['users:write'], when: '`user_id` is not yourself' },
    { scopes: ['budgets:write'], when: '`budget` or `limits` is set' },
  )
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'createToken',
    summary: 'Create an access token',
    description:
      'It has no more rights than you. Tokens of the roles admin, auditor and member end with the access of their user and ' +
      'of everybody who created them. Tokens created with a token that belongs to no person end when that token is revoked.',
  })
  @ApiCreatedResponse({
    type: CreatedTokenResponseDto,
    description: 'The token, shown only here.',
    headers: NO_STORE,
  })
  async create(@CurrentActor() actor: Actor, @Body() body: CreateTokenDto): Promise<CreatedTokenResponseDto> {
    const { user_id: userId, expires_at: expiresAt, budget, limits, ...grant } = body;
    const person = {
      userId: userId?.toLowerCase(),
      expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    };
    const issued = await this.keys.issue(actor, { ...grant, ...defined(person) }, { budget, limits });
    return presentIssuedToken(issued.secret, issued);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  // The answer contains a secret.
  @Header('Cache-Control', 'no-store')
  @Requires('tokens:write')
  @SometimesNeeds(
    { scopes: 'those of the token', when: 'you lack one of them: you could not make it either' },
    { scopes: ['users:write'], when: 'it is the token of another user' },
  )
  @Refuses(400, 404, [409, new SuppliedTokenError().message], 413, 415)
  @ApiOperation({
    operationId: 'rotateToken',
    summary: 'Rotate the secret of an access token',
    description:
      'The previous secret is accepted for `overlap_hours`. The token keeps its id, its budgets and its limits. From now on ' +
      'it also ends with your access, because you have seen its secret, and no later than your own token.',
  })
  @ApiOkResponse({
    type: CreatedTokenResponseDto,
    description: 'The token with its new secret, shown only here.',
    headers: NO_STORE,
  })
  async rotate(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { overlap_hours: hours = OVERLAP_HOURS }: RotateTokenDto,
  ): Promise<CreatedTokenResponseDto> {
    const { record, token: secret } = await this.rotation.rotate(actor, id, hours);
    return presentIssuedToken(secret, await this.keys.shown(actor.orgId, record));
  }

  @Get()
  @Requires('tokens:read')
  @Refuses(400)
  @ApiOperation({
    operationId: 'listTokens',
    summary: 'List access tokens, newest first unless `sort` says otherwise',
    description: 'Revoked tokens are not listed, nor tokens that ended with the token that created them.',
  })
  @ApiPage(TokenResponseDto)
  async list(@CurrentActor() { orgId }: Actor, @Query() query: ListTokensQueryDto): Promise<Page<TokenResponseDto>> {
    const { items, ...page } = await this.keys.page(orgId, await this.lists.list(orgId, query, token => token));
    return { ...page, items: items.map(({ token, allowance }) => presentToken(token, allowance)) };
  }

  @Delete()
  @Requires('tokens:write')
  @Refuses(400)
  @ApiOperation({
    operationId: 'revokeTokens',
    summary: 'Revoke every access token that a person created',
    description:
      'Revokes all tokens that the list shows with the same `issued_by`, such as machine tokens of a person who was ' +
      'offboarded or removed by SCIM. You may repeat the request.',
  })
  @ApiOkResponse({
    type: RevokedTokensDto,
    description: 'Number of revoked tokens. Every replica refuses them within a second.',
  })
  async revokeAll(
    @CurrentActor() actor: Actor,
    @Query() { issued_by: issuedBy }: RevokeTokensQueryDto,
  ): Promise<RevokedTokensDto> {
    return { revoked: await this.keys.revokeMadeBy(actor, issuedBy) };
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('tokens:write')
  @Refuses(404)
  @ApiOperation({
    operationId: 'revokeToken',
    summary: 'Revoke an access token',
    description:
      'Every replica refuses it within a second. Tokens of people that were created with it end too. If it belongs to no ' +
      'person, all tokens created with it end. Budgets and limits of ended tokens are deleted.',
  })
  @ApiNoContentResponse({ description: 'The token is revoked.' })
  async revoke(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    await this.keys.revoke(actor, id);
  }
}
