import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, IgnoresReadOnly, presenterOf, TextField, UuidField, f, dtoOf } from '#access';
import { CHAT_ROLES, type ChatRole } from '../setup/chat-link.entity.js';

const ID = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const NOW = '2026-11-20T13:00:00.000Z';
const PLATFORM = { max: 50, description: 'Which chat platform.', example: 'slack' };
const WORKSPACE = { max: 100, description: 'The platform’s id of the workspace.', example: 'T024BE7LD' };
const ACCOUNT = { max: 100, description: 'The platform’s id of the account, not its name.', example: 'U2147483697' };
const SECRET = {
  max: 255,
  min: 16,
  description: 'Signing secret of the platform. Never shown.',
  example: '8f742231b10e8888abcd99yyyzzz85a5',
  pattern: /^\S+$/,
  hint: 'must not contain white space',
};

/** A workspace whose commands are taken. */
@IgnoresReadOnly('id', 'org_id', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernanceRegisterWorkspaceDto' })
export class RegisterWorkspaceDto {
  @TextField(PLATFORM)
  platform!: string;

  @TextField(WORKSPACE)
  workspace!: string;

  @TextField(SECRET)
  signing_secret!: string;
}

/** Another signing secret. */
@ApiSchema({ name: 'GovernanceChangeWorkspaceDto' })
export class ChangeWorkspaceDto {
  @TextField(SECRET)
  signing_secret!: string;
}

/** A workspace as the API shows it, without its secret. */
@ApiSchema({ name: 'GovernanceWorkspaceResponseDto' })
export class WorkspaceResponseDto extends dtoOf({
  id: f.uuid(ID),
  org_id: f.uuid(ID),
  platform: f.text('slack'),
  workspace: f.text('T024BE7LD'),
  created_at: f.instant(NOW),
  updated_at: f.instant(NOW, 'Of its secret.'),
}) {}

/** An account that is to be somebody's. */
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

export const presentWorkspace = presenterOf(WorkspaceResponseDto);

export const presentLink = presenterOf(LinkResponseDto);
