import {
  applyDecorators,
  Body,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, setHeader, type Actor, type HttpRequest, type HttpResponse } from '#access';
import type { JsonObject } from '#core';
import { readListQuery, readSearch, type ListRequest } from '../protocol/list-request.js';
import { readPatch, type PatchStep } from '../protocol/patch-request.js';
import { project, readProjection, type Projection } from '../protocol/projection.js';
import type { ResourceSchema } from '../protocol/resource-schema.js';
import type { FoundPage } from '../users/scim-user-reader.js';
import { scimAddressOf } from './scim-address.js';
import { isKnown, listAnswer, resourceAnswer, setStatus } from './scim-answer.js';
import { ScimAnswer, ScimBody, ScimId, ScimProjection, ScimQuery, ScimRoute } from './scim.decorators.js';
import { ScimListDto, ScimPatchDto, ScimSearchDto } from './scim.dto.js';

/** Texts of the API reference for one type of resource. */
export interface ScimWords {
  /** Part of the operation ids, such as `User` in `getScimUser`. */
  readonly name: string;
  readonly body: Type<unknown>;
  readonly resource: Type<unknown>;
  /** Summaries of PUT and PATCH in the API reference. */
  readonly replace: string;
  readonly patch: string;
  /**
   * Descriptions of the answers in the API reference. `unshown` describes a PATCH answer without a body, if the type
   * has one.
   */
  readonly created: string;
  readonly patched: string;
  readonly unshown?: string;
  readonly removed: string;
}

/** The result of a change whose answer does not contain the resource. */
export class Unshown {
  /** @param version the resource's entity tag */
  constructor(readonly version: string) {}
}

/** The services behind the endpoints. `Found` is a resource with everything that its SCIM representation contains. */
export interface ScimResources<Found> {
  list(orgId: string, query: ListRequest): Promise<FoundPage<Found>>;
  get(orgId: string, id: string, projection: Projection): Promise<Found>;
  create(actor: Actor, body: unknown, projection: Projection): Promise<Found>;
  replace(actor: Actor, id: string, body: unknown, projection: Projection, ifMatch?: string): Promise<Found>;
  patch(
    actor: Actor,
    id: string,
    steps: PatchStep[],
    projection: Projection,
    ifMatch?: string,
  ): Promise<Found | Unshown>;
  remove(actor: Actor, id: string, ifMatch?: string): Promise<void>;
  /** Returns the SCIM representation. `base` is the URL of the SCIM service. */
  present(found: Found, base: string): JsonObject;
}

type QueryValues = Record<string, unknown>;

/** Creates the base class of a controller: the endpoints of one resource type (RFC 7644, section 3). */
export function scimEndpoints<Found extends object>(
  schema: ResourceSchema,
  { name, body: bodyDto, resource: resourceDto, ...words }: ScimWords,
): new (resources: ScimResources<Found>) => object {
  const one = name.toLowerCase();
  const projectionOf = (query: QueryValues): Projection =>
    readProjection(schema, query['attributes'], query['excludedAttributes']);

  class ScimEndpoints {
    constructor(private readonly resources: ScimResources<Found>) {}

    @Get()
    @ScimRoute(400)
    @ScimQuery()
    @ScimAnswer(200, ScimListDto, 'One page.')
    @ApiOperation({ operationId: `listScim${name}s`, summary: `SCIM: list ${one}s` })
    list(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Query() query: QueryValues): Promise<JsonObject> {
      return this.found(actor, request, readListQuery(schema, query));
    }

    @Post('.search')
    @HttpCode(200)
    @ScimRoute(400)
    @ScimBody(ScimSearchDto)
    @ScimAnswer(200, ScimListDto, 'One page.')
    @ApiOperation({ operationId: `queryScim${name}s`, summary: `SCIM: search ${one}s by POST` })
    search(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Body() body: unknown): Promise<JsonObject> {
      return this.found(actor, request, readSearch(schema, body));
    }

    @Post()
    @ScimRoute(400, 409)
    @ScimBody(bodyDto)
    @ScimProjection()
    @ScimAnswer(201, resourceDto, words.created)
    @ApiOperation({ operationId: `createScim${name}`, summary: `SCIM: create a ${one}` })
    async create(
      @CurrentActor() actor: Actor,
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
      @Query() query: QueryValues,
      @Body() body: unknown,
    ): Promise<JsonObject> {
      const projection = projectionOf(query);
      const resource = this.present(await this.resources.create(actor, body, projection), request);
      return resourceAnswer(response, resource, projection, { isNew: true });
    }

    @Get(':id')
    @ScimRoute(400, 404)
    @ScimId({ ifNoneMatch: true })
    @ScimProjection()
    @ScimAnswer(200, resourceDto, `The ${one}.`)
    @ApiOperation({ operationId: `getScim${name}`, summary: `SCIM: get a ${one}` })
    async get(
      @CurrentActor() actor: Actor,
      @Param('id') id: string,
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
      @Query() query: QueryValues,
      @Headers('if-none-match') ifNoneMatch?: string,
    ): Promise<JsonObject | undefined> {
      const projection = projectionOf(query);
      const resource = this.present(await this.resources.get(actor.orgId, id, projection), request);
      if (isKnown(response, resource, ifNoneMatch)) return undefined;
      return resourceAnswer(response, resource, projection);
    }

    @Put(':id')
    @ScimRoute(400, 404, 409, 412)
    @ScimId({ ifMatch: true })
    @ScimBody(bodyDto)
    @ScimProjection()
    @ScimAnswer(200, resourceDto, `The ${one} after the change.`)
    @ApiOperation({ operationId: `putScim${name}`, summary: `SCIM: ${words.replace}` })
    async replace(
      @CurrentActor() actor: Actor,
      @Param('id') id: string,
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
      @Query() query: QueryValues,
      @Body() body: unknown,
      @Headers('if-match') ifMatch?: string,
    ): Promise<JsonObject> {
      const projection = projectionOf(query);
      const found = await this.resources.replace(actor, id, body, projection, ifMatch);
      return resourceAnswer(response, this.present(found, request), projection);
    }

    @Patch(':id')
    @ScimRoute(400, 404, 409, 412)
    @ScimId({ ifMatch: true })
    @ScimBody(ScimPatchDto)
    @ScimProjection()
    @ScimAnswer(200, resourceDto, words.patched)
    @NoContent(words.unshown)
    @ApiOperation({ operationId: `updateScim${name}`, summary: `SCIM: ${words.patch}` })
    async patch(
      @CurrentActor() actor: Actor,
      @Param('id') id: string,
      @Req() request: HttpRequest,
      @Res({ passthrough: true }) response: HttpResponse,
      @Query() query: QueryValues,
      @Body() body: unknown,
      @Headers('if-match') ifMatch?: string,
    ): Promise<JsonObject | undefined> {
      const projection = projectionOf(query);
      const found = await this.resources.patch(actor, id, readPatch(schema, body), projection, ifMatch);
      if (!(found instanceof Unshown)) return resourceAnswer(response, this.present(found, request), projection);
      setHeader(response, 'ETag', found.version);
      setStatus(response, 204);
      return undefined;
    }

    @Delete(':id')
    @HttpCode(204)
    @ScimRoute(404, 412)
    @ScimId({ ifMatch: true })
    @NoContent(words.removed)
    @ApiOperation({ operationId: `deleteScim${name}`, summary: `SCIM: remove a ${one}` })
    remove(
      @CurrentActor() actor: Actor,
      @Param('id') id: string,
      @Headers('if-match') ifMatch?: string,
    ): Promise<void> {
      return this.resources.remove(actor, id, ifMatch);
    }

    private async found(actor: Actor, request: HttpRequest, query: ListRequest): Promise<JsonObject> {
      const { found, totalResults } = await this.resources.list(actor.orgId, query);
      const resources = found.map(each => project(query.projection, this.present(each, request)));
      return listAnswer(resources, totalResults, query.startIndex);
    }

    private present(found: Found, request: HttpRequest): JsonObject {
      return this.resources.present(found, scimAddressOf(request));
    }
  }
  return ScimEndpoints;
}

function NoContent(description: string | undefined): MethodDecorator {
  return description === undefined ? applyDecorators() : ApiNoContentResponse({ description });
}
