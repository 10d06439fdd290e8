import { Body, Delete, Get, HttpCode, HttpStatus, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { OperatorRegistry } from '../decide/index.js';
import { readPolicyBody } from './policy-body.js';
import { TooManyPoliciesError } from './policy.errors.js';
import { PolicyListService } from './policy-list.service.js';
import { CreatePolicyDto, PolicyResponseDto, UpdatePolicyDto } from './policy.dto.js';
import { presentPolicy } from './policy.presenter.js';
import { PolicyService } from './policy.service.js';

/** Policies over HTTP (interface specification, sections 4.1 to 4.5). */
@GovernanceController('v1/policies', 'Policies')
export class PoliciesController {
  constructor(
    private readonly policies: PolicyService,
    private readonly lists: PolicyListService,
    private readonly operators: OperatorRegistry,
  ) {}

  @Get()
  @Requires('policies:read')
  @ApiOperation({ operationId: 'listPolicies', summary: 'List policies, the newest first' })
  @ApiPage(PolicyResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: PageQueryDto): Promise<Page<PolicyResponseDto>> {
    return this.lists.list(actor.orgId, query, presentPolicy);
  }

  @Post()
  @Requires('policies:write')
  @ApiOperation({ operationId: 'createPolicy', summary: 'Create a policy' })
  @ApiBody({ type: CreatePolicyDto })
  @ApiCreatedResponse({ type: PolicyResponseDto, description: 'The new policy; it applies to decisions at once.' })
  @Refuses(400, [409, new TooManyPoliciesError().message], 413, 415)
  async create(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<PolicyResponseDto> {
    const draft = readPolicyBody(CreatePolicyDto, body, this.operators);
    return presentPolicy(await this.policies.create(actor, draft));
  }

  @Get(':id')
  @Requires('policies:read')
  @ApiOperation({ operationId: 'getPolicy', summary: 'Get a policy' })
  @ApiOkResponse({ type: PolicyResponseDto, description: 'The policy.' })
  @Refuses(404)
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<PolicyResponseDto> {
    return presentPolicy(await this.policies.get(actor.orgId, id));
  }

  @Put(':id')
  @Requires('policies:write')
  @ApiOperation({ operationId: 'updatePolicy', summary: 'Change the supplied fields of a policy' })
  @ApiBody({ type: UpdatePolicyDto })
  @ApiOkResponse({
    type: PolicyResponseDto,
    description: 'The policy after the change; it applies to decisions at once.',
  })
  @Refuses(400, 404, 413, 415)
  async update(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: unknown,
  ): Promise<PolicyResponseDto> {
    const patch = readPolicyBody(UpdatePolicyDto, body, this.operators);
    return presentPolicy(await this.policies.update(actor, id, patch));
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('policies:write')
  @ApiOperation({ operationId: 'deletePolicy', summary: 'Delete a policy' })
  @ApiNoContentResponse({ description: 'The policy is deleted and no longer applies to decisions. Its history stays.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.policies.delete(actor, id);
  }
}
