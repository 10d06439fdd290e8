import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import { SearchQueryDto, SearchResponseDto } from './search.dto.js';
import { SearchService } from './search.service.js';

/** HTTP route of the search. */
@GovernanceController('v1/search', 'Dashboard')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @Requires([
    ...(['users:read', 'policies:read', 'approvals:read', 'decisions:read', 'incidents:read'] as const),
    ...(['webhooks:read', 'itsm:read', 'budgets:read', 'anomalies:read'] as const),
  ])
  @Refuses(400)
  @ApiOperation({
    operationId: 'search',
    summary: 'Search by name, address or id',
    description:
      'Finds users, policies, budgets, webhooks and connectors by part of a name or address; tickets by external ' +
      'id; incidents, decisions, approvals and anomalies by id. Searches only kinds that your scopes allow you to read.',
  })
  @ApiOkResponse({ type: SearchResponseDto, description: 'The results.' })
  async find(@CurrentActor() actor: Actor, @Query() { q }: SearchQueryDto): Promise<SearchResponseDto> {
    return { results: await this.search.find(actor, q) };
  }
}
