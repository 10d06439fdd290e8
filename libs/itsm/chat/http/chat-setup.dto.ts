import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, IgnoresReadOnly, ObjectField, presenterOf, TextField, UuidField, f, dtoOf } from '#access';
import { SEVERITIES, type Severity } from '#core';
import { CHAT_ROLES, type ChatRole } from '../setup/chat-link.entity.js';
import { DepartmentListField, PolicyListField } from '../../http/routing.dto.js';
import type { ChatWorkspace } from '../setup/chat-workspace.entity.js';

const ID = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const NOW = '2026-11-20T13:00:00.000Z';
const PLATFORM = { max: 50, description: 'Which chat platform.', example: 'slack' };
const WORKSPACE = {
  max: 100,
  description: 'The platform’s id of the workspace. Teams: a name of your choice for the channel.',
  example: 'T024BE7LD',
};
const ACCOUNT = { max: 100, description: 'The platform’s id of the account, not its name.', example: 'U2147483697' };
const SECRET = {
  max: 255,
  min: 16,
  description: 'Signing secret of the platform. Never shown.',
  example: '8f742231b10e8888abcd99yyyzzz85a5',
  pattern: /^\S+$/,
  hint: 'must not contain white space',
};

const SIGNING = {
  ...SECRET,
  optional: true,
  description: 'Signing secret of the platform. Never shown. Required for platforms that send commands, such as Slack.',
};
const NOTIFYING = {
  ...SECRET,
  max: 2_048,
  optional: true,
  description: 'Secret for notifications. Never shown. Slack: the bot token. Teams: the URL of the workflow.',
  example: 'xoxb-0123456789-example',
};
const CHANNEL = {
  max: 100,
  optional: true,
  description: 'Id of the channel. Slack: required. Teams: leave it out, because the workflow names the channel.',
  example: 'C024BE91L',
};

/** Determines which incidents are announced, and in which channel. */
@ApiSchema({ name: 'GovernanceIncidentNotificationsDto' })
export class IncidentNotificationsDto {
  @TextField(CHANNEL)
  channel?: string;

  @ChoiceField(SEVERITIES, {
    optional: true,
    description: 'Only incidents that open with this severity, or a worse one. Default: all.',
    example: 'high',
  })
  min_severity?: Severity;

  @PolicyListField('Only incidents of these policies, by id; no anomalies.')
  policies?: readonly string[];

  @DepartmentListField('Only incidents about people of these departments.')
  departments?: readonly string[];
}

/** Determines which approval requests are announced, and in which channel. */
@ApiSchema({ name: 'GovernanceApprovalNotificationsDto' })
export class ApprovalNotificationsDto {
  @TextField(CHANNEL)
  channel?: string;

  @PolicyListField('Only requests for approval that these policies ask for, by id.')
  policies?: readonly string[];

  @DepartmentListField('Only requests of people of these departments.')
  departments?: readonly string[];
}

/** The notifications of a workspace. */
@ApiSchema({ name: 'GovernanceChatNotificationsDto' })
export class NotificationsDto {
  @ObjectField(() => IncidentNotificationsDto, { optional: true, description: 'Left out: no incidents are announced.' })
  incidents?: IncidentNotificationsDto;

  @ObjectField(() => ApprovalNotificationsDto, { optional: true, description: 'Left out: no requests are announced.' })
  approvals?: ApprovalNotificationsDto;
}

const NOTIFICATIONS = { optional: true, description: 'What is announced, and in which channel. `{}`: nothing.' };
const READ_ONLY = ['id', 'org_id', 'secret_names', 'problem', 'created_at', 'updated_at'] as const;

/** Body of `POST /v1/chat/workspaces`. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceRegisterWorkspaceDto' })
export class RegisterWorkspaceDto {
  @TextField(PLATFORM)
  platform!: string;

  @TextField(WORKSPACE)
  workspace!: string;

  @TextField(SIGNING)
  signing_secret?: string;

  @TextField(NOTIFYING)
  notification_secret?: string;

  @ObjectField(() => NotificationsDto, NOTIFICATIONS)
  notifications?: NotificationsDto;
}

/** Body of `PATCH /v1/chat/workspaces/{id}`: only the supplied fields change. */
@ApiSchema({ name: 'GovernanceChangeWorkspaceDto' })
export class ChangeWorkspaceDto {
  @TextField(SIGNING)
  signing_secret?: string;

  @TextField(NOTIFYING)
  notification_secret?: string;

  @ObjectField(() => NotificationsDto, {
    ...NOTIFICATIONS,
    description: `In place of those of before, whole. ${NOTIFICATIONS.description}`,
  })
  notifications?: NotificationsDto;
}

@ApiSchema({ name: 'GovernanceWorkspaceProblemDto' })
class WorkspaceProblemDto extends dtoOf({
  message: f.text('Slack: not_in_channel; invite the app to the channel: type /invite and the name of the app there.'),
  since: f.instant(NOW),
}) {}

/** A workspace as the API shows it, without its secret. */
@ApiSchema({ name: 'GovernanceWorkspaceResponseDto' })
export class WorkspaceResponseDto extends dtoOf({
  id: f.uuid(ID),
  org_id: f.uuid(ID),
  platform: f.text('slack'),
  workspace: f.text('T024BE7LD'),
  secret_names: f.texts(['notification_secret', 'signing_secret'], 'The secrets that are stored.'),
  notifications: f.nested(NotificationsDto, NOTIFICATIONS.description),
  problem: f.nested(WorkspaceProblemDto, 'Why the last notification was not sent; null if it was.', null).nullable(),
  created_at: f.instant(NOW),
  updated_at: f.instant(NOW, 'Of its secrets and notifications.'),
}) {}

/** Body of `POST /v1/chat/links`. */
@IgnoresReadOnly('id', 'org_id', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernanceCreateLinkDto' })
export class CreateLinkDto {
  @TextField(PLATFORM)
  platform!: string;

  @TextField(WORKSPACE)
  workspace!: string;

  @TextField(ACCOUNT)
  account!: string;

  @UuidField({ description: 'The user that the account acts as.', example: ID })
  user_id!: string;

  @ChoiceField(CHAT_ROLES, {
    optional: true,
    default: 'member',
    description: 'Permissions of the link, as for access tokens: a member sees only what concerns them.',
    example: 'admin',
  })
  role?: ChatRole;
}

/** A link as the API shows it. */
@ApiSchema({ name: 'GovernanceLinkResponseDto' })
export class LinkResponseDto extends dtoOf({
  id: f.uuid(ID),
  org_id: f.uuid(ID),
  platform: f.text('slack'),
  workspace: f.text('T024BE7LD'),
  account: f.text('U2147483697'),
  user_id: f.uuid(ID),
  role: f.choice(CHAT_ROLES, 'admin'),
  created_at: f.instant(NOW),
}) {}

export const presentWorkspace = presenterOf(WorkspaceResponseDto, ({ secretNames, problem }: ChatWorkspace) => ({
  secret_names: [...secretNames],
  problem: problem && { ...problem },
}));

export const presentLink = presenterOf(LinkResponseDto);
