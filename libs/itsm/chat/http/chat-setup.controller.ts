import { Body, Delete, Get, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AlsoNeeds,
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  ROLE_SCOPES,
  SometimesNeeds,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { ChatLinks } from '../setup/chat-links.service.js';
import { ChatLists } from '../setup/chat-lists.service.js';
import { ChatWorkspaces, type WorkspaceSettings } from '../setup/chat-workspaces.service.js';
import { AccountLinkedError, WorkspaceTakenError } from '../setup/chat.errors.js';
import {
  ChangeWorkspaceDto,
  CreateLinkDto,
  LinkResponseDto,
  presentLink,
  presentWorkspace,
  RegisterWorkspaceDto,
  WorkspaceResponseDto,
} from './chat-setup.dto.js';

const NEEDS_ALL = 'The signing secret can impersonate every linked account, so the caller needs all scopes of admin.';

const BESIDE_WRITE = ROLE_SCOPES.admin.filter(scope => scope !== 'itsm:write');

/** Manages workspaces that may send commands, and the links between their accounts and users. */
@GovernanceController('v1/chat', 'Chat')
export class ChatSetupController {
  constructor(
    private readonly workspaces: ChatWorkspaces,
    private readonly links: ChatLinks,
    private readonly lists: ChatLists,
  ) {}

  @Get('workspaces')
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'listChatWorkspaces', summary: 'List workspaces, the newest first' })
  @ApiPage(WorkspaceResponseDto)
  @Refuses(400)
  listWorkspaces(@CurrentActor() { orgId }: Actor, @Query() query: PageQueryDto): Promise<Page<WorkspaceResponseDto>> {
    return this.lists.workspaces(orgId, query, presentWorkspace);
  }

  @Post('workspaces')
  @Requires('itsm:write')
  @AlsoNeeds(...BESIDE_WRITE)
  @ApiOperation({
    operationId: 'registerChatWorkspace',
    summary: 'Register a chat workspace',
    description: NEEDS_ALL,
  })
  @ApiCreatedResponse({ type: WorkspaceResponseDto, description: 'The workspace, without its secret.' })
  @Refuses(400, [409, new WorkspaceTakenError().message], 413, 415)
  async register(@CurrentActor() actor: Actor, @Body() body: RegisterWorkspaceDto): Promise<WorkspaceResponseDto> {
    const { platform, workspace } = body;
    return presentWorkspace(await this.workspaces.register(actor, { platform, workspace, ...settingsOf(body) }));
  }

  @Patch('workspaces/:id')
  @Requires('itsm:write')
  @AlsoNeeds(...BESIDE_WRITE)
  @ApiOperation({
    operationId: 'updateChatWorkspace',
    summary: 'Replace secrets or notifications of a workspace',
    description: NEEDS_ALL,
  })
  @ApiOkResponse({ type: WorkspaceResponseDto, description: 'The workspace, without its secret.' })
  @Refuses(400, 404, 413, 415)
  async change(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: ChangeWorkspaceDto,
  ): Promise<WorkspaceResponseDto> {
    return presentWorkspace(await this.workspaces.change(actor, id, settingsOf(body)));
  }

  @Delete('workspaces/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('itsm:write')
  @ApiOperation({
    operationId: 'deleteChatWorkspace',
    summary: 'Remove a chat workspace and its links',
  })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.workspaces.delete(actor, id);
  }

  @Get('links')
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'listChatLinks', summary: 'List the links of chat accounts to users, the newest first' })
  @ApiPage(LinkResponseDto)
  @Refuses(400)
  listLinks(@CurrentActor() { orgId }: Actor, @Query() query: PageQueryDto): Promise<Page<LinkResponseDto>> {
    return this.lists.links(orgId, query, presentLink);
  }

  @Post('links')
  @Requires('itsm:write')
  @SometimesNeeds(
    { scopes: 'those of the role of the link', when: 'you lack one of them: a link can do no more than you' },
    { scopes: ['users:write'], when: '`user_id` is not yourself' },
  )
  @ApiOperation({
    operationId: 'createChatLink',
    summary: 'Link a chat account to a user',
    description:
      'A link is a credential: you cannot grant a scope that you lack. To link another user, you need users:write.',
  })
  @ApiCreatedResponse({ type: LinkResponseDto, description: 'The link.' })
  @Refuses(400, [409, new AccountLinkedError().message], 413, 415)
  async link(@CurrentActor() actor: Actor, @Body() body: CreateLinkDto): Promise<LinkResponseDto> {
    const { platform, workspace, account, user_id: userId, role = 'member' } = body;
    return presentLink(await this.links.link(actor, { platform, workspace, account, userId, role }));
  }

  @Delete('links/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('itsm:write')
  @ApiOperation({ operationId: 'deleteChatLink', summary: 'Remove the link of a chat account' })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @Refuses(404)
  unlink(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.links.unlink(actor, id);
  }
}

function settingsOf(body: ChangeWorkspaceDto): WorkspaceSettings {
  const { signing_secret: signingSecret, notification_secret: notificationSecret, notifications } = body;
  return { signingSecret, notificationSecret, notifications };
}
