import { Get, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam } from '@nestjs/swagger';
import type { HttpRequest } from '#access';
import { ForbiddenError, NotFoundError, type JsonObject } from '#core';
import { resourceTypes, schemas, serviceProviderConfig } from '../schemas/discovery.js';
import { scimAddressOf } from './scim-address.js';
import { listAnswer } from './scim-answer.js';
import { ScimConfigDto, ScimResourceTypeDto, ScimSchemaDto } from './scim-discovery.dto.js';
import { ScimAnswer, ScimController, ScimRoute } from './scim.decorators.js';
import { ScimListDto } from './scim.dto.js';

/** Discovery of the server's features (RFC 7644, section 4). */
@ScimController()
export class ScimDiscoveryController {
  @Get('ServiceProviderConfig')
  @ScimRoute()
  @ScimAnswer(200, ScimConfigDto, 'The features that this server supports.')
  @ApiOperation({ operationId: 'getScimConfig', summary: 'SCIM: get the features that the server supports' })
  config(@Req() request: HttpRequest): JsonObject {
    return serviceProviderConfig(scimAddressOf(request));
  }

  @Get('ResourceTypes')
  @ScimRoute()
  @ScimAnswer(200, ScimListDto, 'All entries.')
  @ApiOperation({ operationId: 'listScimResourceTypes', summary: 'SCIM: list the resource types' })
  types(@Req() request: HttpRequest, @Query() query: Record<string, unknown>): JsonObject {
    return listOf(resourceTypes(scimAddressOf(request)), query);
  }

  @Get('ResourceTypes/:name')
  @ScimRoute(404)
  @ApiParam({ name: 'name', description: 'Name of the resource type.', example: 'User' })
  @ScimAnswer(200, ScimResourceTypeDto, 'The resource type.')
  @ApiOperation({ operationId: 'getScimResourceType', summary: 'SCIM: get a resource type' })
  type(@Req() request: HttpRequest, @Param('name') name: string): JsonObject {
    return oneOf(resourceTypes(scimAddressOf(request)), name);
  }

  @Get('Schemas')
  @ScimRoute()
  @ScimAnswer(200, ScimListDto, 'All entries.')
  @ApiOperation({ operationId: 'listScimSchemas', summary: 'SCIM: list the schemas' })
  schemas(@Req() request: HttpRequest, @Query() query: Record<string, unknown>): JsonObject {
    return listOf(schemas(scimAddressOf(request)), query);
  }

  @Get('Schemas/:urn')
  @ScimRoute(404)
  @ApiParam({ name: 'urn', description: 'Name of the schema.', example: 'urn:ietf:params:scim:schemas:core:2.0:User' })
  @ScimAnswer(200, ScimSchemaDto, 'The schema.')
  @ApiOperation({ operationId: 'getScimSchema', summary: 'SCIM: get a schema' })
  schema(@Req() request: HttpRequest, @Param('urn') urn: string): JsonObject {
    return oneOf(schemas(scimAddressOf(request)), urn);
  }
}

/** A search of these endpoints is answered with 403, as RFC 7644, section 4, requires. */
function listOf(resources: JsonObject[], query: Record<string, unknown>): JsonObject {
  if (query['filter'] !== undefined) throw new ForbiddenError('This list cannot be filtered; read it whole.');
  return listAnswer(resources, resources.length);
}

function oneOf(resources: JsonObject[], id: string): JsonObject {
  const found = resources.find(
    resource => JSON.stringify(resource['id']).toLowerCase() === JSON.stringify(id).toLowerCase(),
  );
  if (!found) throw new NotFoundError('There is no such resource.');
  return found;
}
