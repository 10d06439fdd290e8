import { Body, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { defined } from '#core';
import { CurrentActor, GovernanceController, Refuses, Requires } from '../http/routes.decorators.js';
import type { Actor } from '../principals/principal.js';
import { OrganizationResponseDto, presentOrganization, UpdateOrganizationDto } from './organization.dto.js';
import { OrganizationService } from '../organizations/organization.service.js';

/** The caller's own organization. */
@GovernanceController('v1/organization', 'Organization')
export class OrganizationController {
  constructor(private readonly organizations: OrganizationService) {}

  @Get()
  @Requires('organization:read')
  @ApiOperation({ operationId: 'getOrganization', summary: 'Get the organization of the caller' })
  @ApiOkResponse({ type: OrganizationResponseDto, description: 'The organization.' })
  async get(@CurrentActor() actor: Actor): Promise<OrganizationResponseDto> {
    return presentOrganization(await this.organizations.get(actor.orgId));
  }

  @Patch()
  @Requires('organization:write')
  @Refuses(400, 413, 415)
  @ApiOperation({ operationId: 'updateOrganization', summary: 'Change the organization of the caller' })
  @ApiOkResponse({ type: OrganizationResponseDto, description: 'The organization after the change.' })
  async update(@CurrentActor() actor: Actor, @Body() body: UpdateOrganizationDto): Promise<OrganizationResponseDto> {
    const { name, time_zone: timeZone, sign_in_token_max_days: signInTokenMaxDays } = body;
    const changes = { name, timeZone, signInTokenMaxDays, fiscalYearFirstMonth: body.fiscal_year_first_month };
    return presentOrganization(await this.organizations.update(actor, defined(changes)));
  }
}
