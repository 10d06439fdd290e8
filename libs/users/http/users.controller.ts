import { Body, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { DEFAULT_USER_ROLE } from '../user.entity.js';
import { UserNotFoundError } from '../user.errors.js';
import { UserListService } from '../user-list.service.js';
import { UserService } from '../user.service.js';
import { CreateUserDto, ListUsersQueryDto, NoDetailsDto, UpdateUserDto, UserResponseDto } from './user.dto.js';
import { presentUser } from './user.presenter.js';

/** The people of the caller's organization (interface specification, section 4.7). */
@GovernanceController('v1/users', 'Users')
export class UsersController {
  constructor(
    private readonly users: UserService,
    private readonly lists: UserListService,
  ) {}

  @Get()
  @Requires('users:read')
  @Refuses(400)
  @ApiOperation({ summary: 'List users by name' })
  @ApiPage(UserResponseDto)
  list(@CurrentActor() actor: Actor, @Query() query: ListUsersQueryDto): Promise<Page<UserResponseDto>> {
    return this.lists.list(actor.orgId, query, presentUser);
  }

  @Post()
  @Requires('users:write')
  @Refuses(400, 409, 413, 415)
  @ApiOperation({ summary: 'Create a user' })
  @ApiCreatedResponse({ type: UserResponseDto })
  async create(@CurrentActor() actor: Actor, @Body() body: CreateUserDto): Promise<UserResponseDto> {
    const { email, name, department = null, role = DEFAULT_USER_ROLE, attributes = {}, status } = body;
    return presentUser(await this.users.create(actor, { email, name, department, role, attributes }, status));
  }

  @Get(':id')
  @Requires(['users:read', 'users:read:own'])
  @Refuses(404)
  @ApiOperation({ summary: 'Get a user; with the scope users:read:own, only oneself' })
  @ApiOkResponse({ type: UserResponseDto })
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<UserResponseDto> {
    const isOwn = actor.userId?.toLowerCase() === id;
    // Others are hidden, not forbidden: whether they exist is not told.
    if (!isOwn && !actor.scopes.has('users:read')) throw new UserNotFoundError();
    return presentUser(await this.users.get(actor.orgId, id));
  }

  @Put(':id')
  @Requires('users:write')
  @Refuses(400, 404, 409, 413, 415)
  @ApiOperation({ summary: 'Update a user; only the supplied fields change' })
  @ApiOkResponse({ type: UserResponseDto })
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
  @ReadsBody({ optional: true })
  @ApiBody({ type: NoDetailsDto, required: false })
  @Refuses(400, 404, 409, 413, 415)
  @ApiOperation({ summary: "Offboard a user: revokes the user's LLM access at once" })
  @ApiOkResponse({ type: UserResponseDto })
  async offboard(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() _body: NoDetailsDto,
  ): Promise<UserResponseDto> {
    return presentUser(await this.users.suspend(actor, id, 'offboarding'));
  }

  @Post(':id/reinstate')
  @HttpCode(200)
  @Requires('users:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: NoDetailsDto, required: false })
  @Refuses(400, 404, 409, 413, 415)
  @ApiOperation({ summary: 'Reinstate a user who was offboarded; a suspension by another cause stays' })
  @ApiOkResponse({ type: UserResponseDto })
  async reinstate(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() _body: NoDetailsDto,
  ): Promise<UserResponseDto> {
    return presentUser(await this.users.reinstate(actor, id, 'offboarding'));
  }
}
