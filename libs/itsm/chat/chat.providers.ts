import type { Provider, Type } from '@nestjs/common';
import type { EntityClass } from '@mikro-orm/core';
import type { ChatCommandAdapter } from './chat-command-adapter.port.js';
import { CHAT_ADAPTERS, ChatAdapters } from './chat-adapters.js';
import { ApprovalCommands } from './commands/approval-commands.js';
import { ChatCommandRows } from './commands/chat-command-rows.js';
import { ChatCommands } from './commands/chat-commands.js';
import { ChatOwners } from './commands/chat-owners.js';
import { ChatPresses } from './commands/chat-presses.js';
import { ChatReplies } from './commands/chat-replies.js';
import { ChatReplyJob } from './commands/chat-reply.job.js';
import { ChatSessions } from './commands/chat-session.js';
import { CommandRunner } from './commands/command-runner.js';
import { IncidentCommands } from './commands/incident-commands.js';
import { TicketOutcomes } from './commands/ticket-outcomes.js';
import { ChatCommandsController } from './http/chat-commands.controller.js';
import { ChatInteractionsController } from './http/chat-interactions.controller.js';
import { ChatMetrics } from './http/chat-metrics.js';
import { ChatProbeController } from './http/chat-probe.controller.js';
import { ChatSetupController } from './http/chat-setup.controller.js';
import { noticeProviders } from './notices/notices.providers.js';
import { ChatLink } from './setup/chat-link.entity.js';
import { ChatLinks } from './setup/chat-links.service.js';
import { ChatLists } from './setup/chat-lists.service.js';
import { PersonalChatLinks } from './setup/personal-chat-links.js';
import { ChatWorkspace } from './setup/chat-workspace.entity.js';
import { ChatWorkspaces } from './setup/chat-workspaces.service.js';
import { WorkspaceResources } from './setup/workspace-resources.js';

/** Commands that people type in chats. */
export const chatProviders: Provider[] = [
  {
    provide: ChatAdapters,
    inject: [CHAT_ADAPTERS],
    useFactory: (adapters: readonly ChatCommandAdapter[]) => new ChatAdapters(adapters),
  },
  WorkspaceResources,
  ChatWorkspaces,
  ChatLinks,
  PersonalChatLinks,
  ChatLists,
  ChatSessions,
  ChatOwners,
  ChatCommandRows,
  ChatCommands,
  ChatPresses,
  CommandRunner,
  IncidentCommands,
  ApprovalCommands,
  TicketOutcomes,
  ChatReplies,
  ChatReplyJob,
  ChatMetrics,
  ...noticeProviders,
];

export const chatControllers: Type<unknown>[] = [
  ChatSetupController,
  ChatProbeController,
  ChatCommandsController,
  ChatInteractionsController,
];

export const chatEntities: EntityClass<object>[] = [ChatWorkspace, ChatLink];
