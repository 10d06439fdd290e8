import { Body, Delete, Get, HttpCode, HttpStatus, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, PageQueryDto, Refuses, Requires, type Actor } from '#access';
import { BadRequestError, type Page } from '#core';
import { EgressClient } from '#egress';
import { readBaseUrl } from '../providers/base-url.js';
import { ProviderNotFoundError, TooManyProvidersError } from '../providers/provider.errors.js';
import { isProviderName, NAME_MAX } from '../providers/provider-kind.js';
import { ProviderListService } from '../providers/provider-list.service.js';
import { ProviderService } from '../providers/provider.service.js';
import { ProviderResponseDto, PutProviderDto } from './provider.dto.js';
import { presentProvider } from './provider.dto.js';

const NAME = {
  name: 'name',
  description: 'Name of the provider, as in the path of calls.',
  schema: { type: 'string', maxLength: NAME_MAX, pattern: '^[a-z0-9]+([._-][a-z0-9]+)*$', example: 'openai' },
} as const;

/** Providers of the gateway over HTTP. */
@GovernanceController('v1/gateway/providers', 'Gateway')
export class ProvidersController {
  constructor(
    private readonly providers: ProviderService,
    private readonly lists: ProviderListService,
    private readonly egress: EgressClient,
  ) {}

  @Get()
  @Requires('gateway:read')
  @ApiOperation({ operationId: 'listGatewayProviders', summary: 'List the providers of the gateway, newest first' })
  @ApiPage(ProviderResponseDto)
  @Refuses(400)
  list(@CurrentActor() { orgId }: Actor, @Query() query: PageQueryDto): Promise<Page<ProviderResponseDto>> {
    return this.lists.list(orgId, query, presentProvider);
  }

  @Get(':name')
  @Requires('gateway:read')
  @ApiOperation({ operationId: 'getGatewayProvider', summary: 'Get a provider of the gateway' })
  @ApiParam(NAME)
  @ApiOkResponse({ type: ProviderResponseDto, description: 'The provider, without its key.' })
  @Refuses(404)
  async get(@CurrentActor() { orgId }: Actor, @Param('name') name: string): Promise<ProviderResponseDto> {
    return presentProvider(await this.providers.get(orgId, known(name)));
  }

  @Put(':name')
  @Requires('gateway:write')
  @ApiOperation({
    operationId: 'putGatewayProvider',
    summary: 'Create a provider, or replace its settings',
    description:
      'Clients then call `/gateway/{name}/v1/…` with the provider’s own paths and a token of this service. Applies on ' +
      'every replica within a second. Without `secrets` the key stays, unless the origin of `base_url` changes.',
  })
  @ApiParam(NAME)
  @ApiOkResponse({ type: ProviderResponseDto, description: 'The provider after the change, without its key.' })
  @Refuses(400, [409, new TooManyProvidersError().message], 413, 415)
  async put(
    @CurrentActor() actor: Actor,
    @Param('name') name: string,
    @Body() { kind, base_url: given, secrets, active = true }: PutProviderDto,
  ): Promise<ProviderResponseDto> {
    if (!isProviderName(name)) {
      const rule = `must be 1 to ${NAME_MAX} small letters and digits, with single ".", "_" or "-" between them`;
      throw BadRequestError.field('name', rule);
    }
    const baseUrl = await readBaseUrl(this.egress, given);
    const apiKey = secrets?.api_key;
    return presentProvider(await this.providers.put(actor, name, { kind, baseUrl, active, apiKey }));
  }

  @Delete(':name')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('gateway:write')
  @ApiOperation({
    operationId: 'deleteGatewayProvider',
    summary: 'Delete a provider and its key for good',
    description: 'Running calls continue to their end; later calls get 404.',
  })
  @ApiParam(NAME)
  @ApiNoContentResponse({ description: 'The provider is deleted.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @Param('name') name: string): Promise<void> {
    return this.providers.delete(actor, known(name));
  }
}

/** An invalid name results in 404, like an unknown name. */
function known(name: string): string {
  if (!isProviderName(name)) throw new ProviderNotFoundError();
  return name;
}
