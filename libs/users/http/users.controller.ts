import { Body, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  MachineTokens,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  SometimesNeeds,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { OffboardingService } from '../lifecycle/offboarding.service.js';
import { DEFAULT_USER_ROLE } from '../user.entity.js';
import { EmailTakenError, UserNotFoundError } from '../user.errors.js';
import { UserListService } from '../user-list.service.js';
import { UserService } from '../user.service.js';
import { CreateUserDto, ListUsersQueryDto, UpdateUserDto, UserResponseDto } from './user.dto.js';
import { NoDetailsDto, OffboardUserDto, OffboardedUserDto, presentOffboarded } from './offboarding.dto.js';
import { presentUser } from './user.presenter.js';

const EMAIL_TAKEN = EmailTakenError.ofField().message;

/** HTTP routes of users (interface specification, section 4.7). */
@GovernanceController('v1/users', 'Users')
export class UsersController {
  constructor(
    private readonly users: UserService,
    private readonly lists: UserListService,
    private readonly offboarding: OffboardingService,
    private readonly machines: MachineTokens,
  ) {}

  @Get()
  @Requires('users:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listUsers', summary: 'List users, by name unless `sort` says otherwise' })
  @ApiPage(UserResponseDto)
  list(@CurrentActor() actor: Actor, @Query() query: ListUsersQueryDto): Promise<Page<UserResponseDto>> {
    return this.lists.list(actor.orgId, query, presentUser);
  }

  @Post()
  @Requires('users:write')
  @Refuses(400, [409, EMAIL_TAKEN], 413, 415)
  @ApiOperation({ operationId: 'createUser', summary: 'Create a user' })
  @ApiCreatedResponse({ type: UserResponseDto, description: 'The user. Decisions know the user at once.' })
  async create(@CurrentActor() actor: Actor, @Body() body: CreateUserDto): Promise<UserResponseDto> {
    const { email, name, department = null, role = DEFAULT_USER_ROLE, attributes = {}, status } = body;
    return presentUser(await this.users.create(actor, { email, name, department, role, attributes }, status));
  }

  @Get(':id')
  @Requires(['users:read', 'users:read:own'])
  @Refuses(404)
  @ApiOperation({ operationId: 'getUser', summary: 'Get a user; with the scope users:read:own, only yourself' })
  @ApiOkResponse({ type: UserResponseDto, description: 'The user.' })
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<UserResponseDto> {
    const isOwn = actor.userId?.toLowerCase() === id;
    // Another user gets 404 instead of 403, so that the answer does not reveal whether that user exists.
    if (!isOwn && !actor.scopes.has('users:read')) throw new UserNotFoundError();
    const user = presentUser(await this.users.get(actor.orgId, id));
    // Users cannot read their own departure date and reason. They should hear about their departure from a person.
    if (!actor.scopes.has('users:read'))
      Object.assign(user, { departure_date: null, departs_at: null, departure_reason: null });
    return user;
  }

  @Put(':id')
  @Requires('users:write')
  @Refuses(400, 404, [409, EMAIL_TAKEN], 413, 415)
  @ApiOperation({ operationId: 'updateUser', summary: 'Update a user; only the supplied fields change' })
  @ApiOkResponse({ type: UserResponseDto, description: 'The user after the change. Decisions apply it at once.' })
  async update(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: UpdateUserDto,
  ): Promise<UserResponseDto> {
    return presentUser(await this.users.update(actor, id, body));
  }

  @Post(':id/offboard')
  @HttpCode(200)
  @Requires('users:write')
  @SometimesNeeds({ scopes: ['tokens:write'], when: '`revoke_machine_tokens` is true' })
  @ReadsBody({ optional: true })
  @ApiBody({ type: OffboardUserDto, required: false })
  @Refuses(400, 404, [409, 'The user is suspended already, by offboarding; to undo it, reinstate the user.'], 413, 415)
  @ApiOperation({
    operationId: 'offboardUser',
    summary: "Offboard a user: revokes the user's LLM access, at once or when the departure date comes",
    description:
      'Sends `user_locked_out` when access is revoked. A second request before the departure date replaces the date.',
  })
  @ApiOkResponse({
    type: OffboardedUserDto,
    description: 'The user: suspended, or with the planned departure date.',
  })
  async offboard(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { departure_date: departureDate, reason, revoke_machine_tokens: revokeMachineTokens }: OffboardUserDto,
  ): Promise<OffboardedUserDto> {
    const user = await this.offboarding.offboard(actor, id, { departureDate, reason, revokeMachineTokens });
    return presentOffboarded(user, actor, this.machines);
  }

  @Delete(':id/offboard')
  @HttpCode(204)
  @Requires('users:write')
  @Refuses(404, [409, 'This user has no planned offboarding to cancel.'])
  @ApiOperation({ operationId: 'cancelOffboarding', summary: 'Cancel an offboarding that is planned for later' })
  @ApiNoContentResponse({ description: 'The user, without a departure date.' })
  async cancelOffboarding(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    await this.offboarding.cancel(actor, id);
  }

  @Post(':id/reinstate')
  @HttpCode(200)
  @Requires('users:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: NoDetailsDto, required: false })
  @Refuses(400, 404, [409, 'The user is active, not suspended; there is nothing to lift.'], 413, 415)
  @ApiOperation({
    operationId: 'reinstateUser',
    summary: 'Reinstate an offboarded user, or cancel a planned offboarding',
  })
  @ApiOkResponse({ type: UserResponseDto, description: 'The user. Still suspended if another cause remains.' })
  async reinstate(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() _body: NoDetailsDto,
  ): Promise<UserResponseDto> {
    return presentUser(await this.users.reinstate(actor, id, 'offboarding'));
  }
}
