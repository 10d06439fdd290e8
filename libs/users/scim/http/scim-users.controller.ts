import { Body, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, type Actor, type HttpRequest, type HttpResponse } from '#access';
import type { JsonObject } from '#core';
import { readListQuery, readSearch, type ListRequest } from '../protocol/list-request.js';
import { readPatch } from '../protocol/patch-request.js';
import { project, readProjection, type Projection } from '../protocol/projection.js';
import { readResource } from '../protocol/read-resource.js';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { ScimUserReader } from '../users/scim-user-reader.js';
import { ScimUserService } from '../users/scim-user.service.js';
import { presentScimUser } from '../users/user.presenter.js';
import { scimAddressOf } from './scim-address.js';
import { isKnown, listAnswer, resourceAnswer } from './scim-answer.js';
import {
  ScimAnswer,
  ScimBody,
  ScimController,
  ScimId,
  ScimProjection,
  ScimQuery,
  ScimRoute,
} from './scim.decorators.js';
import { ScimListDto, ScimPatchDto, ScimSearchDto, ScimUserDto, ScimUserResourceDto } from './scim.dto.js';

type QueryValues = Record<string, unknown>;

/** The people of the organization, as identity providers keep them (RFC 7644). */
@ScimController('Users')
export class ScimUsersController {
  constructor(
    private readonly users: ScimUserService,
    private readonly reader: ScimUserReader,
  ) {}

  @Get()
  @ScimRoute(400)
  @ScimQuery()
  @ScimAnswer(200, ScimListDto, 'One page.')
  @ApiOperation({ operationId: 'listScimUsers', summary: 'SCIM: list users' })
  list(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Query() query: QueryValues): Promise<JsonObject> {
    return this.found(actor, request, readListQuery(USER_SCHEMA, query));
  }

  @Post('.search')
  @HttpCode(200)
  @ScimRoute(400)
  @ScimBody(ScimSearchDto)
  @ScimAnswer(200, ScimListDto, 'One page.')
  @ApiOperation({ operationId: 'queryScimUsers', summary: 'SCIM: search users by POST' })
  search(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Body() body: unknown): Promise<JsonObject> {
    return this.found(actor, request, readSearch(USER_SCHEMA, body));
  }

  @Post()
  @ScimRoute(400, 409)
  @ScimBody(ScimUserDto)
  @ScimProjection()
  @ScimAnswer(201, ScimUserResourceDto, 'The user; one who was removed before has come back.')
  @ApiOperation({ operationId: 'createScimUser', summary: 'SCIM: create a user' })
  async create(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Body() body: unknown,
  ): Promise<JsonObject> {
    const found = await this.users.create(actor, readResource(USER_SCHEMA, body));
    const resource = presentScimUser(found, scimAddressOf(request));
    return resourceAnswer(response, resource, projectionOf(query), { isNew: true });
  }

  @Get(':id')
  @ScimRoute(400, 404)
  @ScimId({ ifNoneMatch: true })
  @ScimProjection()
  @ScimAnswer(200, ScimUserResourceDto, 'The user.')
  @ApiOperation({ operationId: 'getScimUser', summary: 'SCIM: get a user' })
  async get(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<JsonObject | undefined> {
    const resource = presentScimUser(await this.reader.get(actor.orgId, id), scimAddressOf(request));
    if (isKnown(response, resource, ifNoneMatch)) return undefined;
    return resourceAnswer(response, resource, projectionOf(query));
  }

  @Put(':id')
  @ScimRoute(400, 404, 409, 412)
  @ScimId({ ifMatch: true })
  @ScimBody(ScimUserDto)
  @ScimProjection()
  @ScimAnswer(200, ScimUserResourceDto, 'The user as it is now.')
  @ApiOperation({ operationId: 'putScimUser', summary: 'SCIM: replace what is kept of a user' })
  async replace(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Body() body: unknown,
    @Headers('if-match') ifMatch?: string,
  ): Promise<JsonObject> {
    const found = await this.users.replace(actor, id, readResource(USER_SCHEMA, body), ifMatch);
    return resourceAnswer(response, presentScimUser(found, scimAddressOf(request)), projectionOf(query));
  }

  @Patch(':id')
  @ScimRoute(400, 404, 409, 412)
  @ScimId({ ifMatch: true })
  @ScimBody(ScimPatchDto)
  @ScimProjection()
  @ScimAnswer(200, ScimUserResourceDto, 'The user as it is now.')
  @ApiOperation({ operationId: 'updateScimUser', summary: 'SCIM: change a user' })
  async patch(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Body() body: unknown,
    @Headers('if-match') ifMatch?: string,
  ): Promise<JsonObject> {
    const found = await this.users.patch(actor, id, readPatch(USER_SCHEMA, body), ifMatch);
    return resourceAnswer(response, presentScimUser(found, scimAddressOf(request)), projectionOf(query));
  }

  @Delete(':id')
  @HttpCode(204)
  @ScimRoute(404, 412)
  @ScimId({ ifMatch: true })
  @ApiNoContentResponse({ description: 'The user is locked out and hidden here; the history stays.' })
  @ApiOperation({ operationId: 'deleteScimUser', summary: 'SCIM: remove a user' })
  async remove(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.users.remove(actor, id, ifMatch);
  }

  private async found(actor: Actor, request: HttpRequest, wish: ListRequest): Promise<JsonObject> {
    const { found, totalResults } = await this.reader.list(actor.orgId, wish);
    const base = scimAddressOf(request);
    const resources = found.map(each => project(wish.projection, presentScimUser(each, base)));
    return listAnswer(resources, totalResults, wish.startIndex);
  }
}

function projectionOf(query: QueryValues): Projection {
  return readProjection(USER_SCHEMA, query['attributes'], query['excludedAttributes']);
}
