import { Body, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, setHeader, type Actor, type HttpRequest, type HttpResponse } from '#access';
import type { JsonObject } from '#core';
import { readGroup } from '../groups/group-wish.js';
import { presentScimGroup, versionOfGroup } from '../groups/group.presenter.js';
import { ScimGroupReader } from '../groups/scim-group-reader.js';
import { ScimGroupService } from '../groups/scim-group.service.js';
import { readListQuery, readSearch, type ListRequest } from '../protocol/list-request.js';
import { readPatch } from '../protocol/patch-request.js';
import { project, readProjection, type Projection } from '../protocol/projection.js';
import { GROUP_SCHEMA } from '../schemas/group.schema.js';
import { scimAddressOf } from './scim-address.js';
import { isKnown, listAnswer, resourceAnswer, setStatus } from './scim-answer.js';
import {
  ScimAnswer,
  ScimBody,
  ScimController,
  ScimId,
  ScimProjection,
  ScimQuery,
  ScimRoute,
} from './scim.decorators.js';
import { ScimGroupDto, ScimGroupResourceDto, ScimListDto, ScimPatchDto, ScimSearchDto } from './scim.dto.js';

type QueryValues = Record<string, unknown>;

/** Groups of identity providers, whose names are departments (RFC 7644). */
@ScimController('Groups')
export class ScimGroupsController {
  constructor(
    private readonly groups: ScimGroupService,
    private readonly reader: ScimGroupReader,
  ) {}

  @Get()
  @ScimRoute(400)
  @ScimQuery()
  @ScimAnswer(200, ScimListDto, 'One page.')
  @ApiOperation({ operationId: 'listScimGroups', summary: 'SCIM: list groups' })
  list(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Query() query: QueryValues): Promise<JsonObject> {
    return this.found(actor, request, readListQuery(GROUP_SCHEMA, query));
  }

  @Post('.search')
  @HttpCode(200)
  @ScimRoute(400)
  @ScimBody(ScimSearchDto)
  @ScimAnswer(200, ScimListDto, 'One page.')
  @ApiOperation({ operationId: 'queryScimGroups', summary: 'SCIM: search groups by POST' })
  search(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Body() body: unknown): Promise<JsonObject> {
    return this.found(actor, request, readSearch(GROUP_SCHEMA, body));
  }

  @Post()
  @ScimRoute(400, 409)
  @ScimBody(ScimGroupDto)
  @ScimProjection()
  @ScimAnswer(201, ScimGroupResourceDto, 'The group; its members are in its department.')
  @ApiOperation({ operationId: 'createScimGroup', summary: 'SCIM: create a group' })
  async create(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Body() body: unknown,
  ): Promise<JsonObject> {
    const { id } = await this.groups.create(actor, readGroup(body));
    return this.shown(actor, id, request, response, projectionOf(query), { isNew: true });
  }

  @Get(':id')
  @ScimRoute(400, 404)
  @ScimId({ ifNoneMatch: true })
  @ScimProjection()
  @ScimAnswer(200, ScimGroupResourceDto, 'The group.')
  @ApiOperation({ operationId: 'getScimGroup', summary: 'SCIM: get a group' })
  async get(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<JsonObject | undefined> {
    const projection = projectionOf(query);
    const resource = presentScimGroup(await this.reader.get(actor.orgId, id, projection), scimAddressOf(request));
    if (isKnown(response, resource, ifNoneMatch)) return undefined;
    return resourceAnswer(response, resource, projection);
  }

  @Put(':id')
  @ScimRoute(400, 404, 409, 412)
  @ScimId({ ifMatch: true })
  @ScimBody(ScimGroupDto)
  @ScimProjection()
  @ScimAnswer(200, ScimGroupResourceDto, 'The group as it is now.')
  @ApiOperation({ operationId: 'putScimGroup', summary: 'SCIM: replace a group and its members' })
  async replace(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Body() body: unknown,
    @Headers('if-match') ifMatch?: string,
  ): Promise<JsonObject> {
    const group = await this.groups.replace(actor, id, readGroup(body), ifMatch);
    return this.shown(actor, group.id, request, response, projectionOf(query));
  }

  @Patch(':id')
  @ScimRoute(400, 404, 409, 412)
  @ScimId({ ifMatch: true })
  @ScimBody(ScimPatchDto)
  @ScimProjection()
  @ScimAnswer(200, ScimGroupResourceDto, 'The group as it is now, where `attributes` asks for some of it.')
  @ApiNoContentResponse({ description: 'The group is changed. It is not sent back: it may be large.' })
  @ApiOperation({ operationId: 'updateScimGroup', summary: 'SCIM: change a group or its members' })
  async patch(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
    @Query() query: QueryValues,
    @Body() body: unknown,
    @Headers('if-match') ifMatch?: string,
  ): Promise<JsonObject | undefined> {
    const group = await this.groups.patch(actor, id, readPatch(GROUP_SCHEMA, body), ifMatch);
    const projection = projectionOf(query);
    if (projection.only) return this.shown(actor, group.id, request, response, projection);
    setHeader(response, 'ETag', versionOfGroup(group));
    setStatus(response, 204);
    return undefined;
  }

  @Delete(':id')
  @HttpCode(204)
  @ScimRoute(404, 412)
  @ScimId({ ifMatch: true })
  @ApiNoContentResponse({ description: 'The group is gone, and the department that came from it.' })
  @ApiOperation({ operationId: 'deleteScimGroup', summary: 'SCIM: remove a group' })
  async remove(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.groups.remove(actor, id, ifMatch);
  }

  private async shown(
    actor: Actor,
    id: string,
    request: HttpRequest,
    response: HttpResponse,
    projection: Projection,
    options: { isNew?: boolean } = {},
  ): Promise<JsonObject> {
    const found = await this.reader.get(actor.orgId, id, projection);
    return resourceAnswer(response, presentScimGroup(found, scimAddressOf(request)), projection, options);
  }

  private async found(actor: Actor, request: HttpRequest, wish: ListRequest): Promise<JsonObject> {
    const { found, totalResults } = await this.reader.list(actor.orgId, wish);
    const base = scimAddressOf(request);
    const resources = found.map(each => project(wish.projection, presentScimGroup(each, base)));
    return listAnswer(resources, totalResults, wish.startIndex);
  }
}

function projectionOf(query: QueryValues): Projection {
  return readProjection(GROUP_SCHEMA, query['attributes'], query['excludedAttributes']);
}
