import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ChoiceField } from '#access';

const ANY = { type: 'object', additionalProperties: true } as const;

/** Input of a hook of Claude Code, for the API reference; it is read by hand-written checks. */
@ApiSchema({ name: 'GovernanceClaudeCodeHookDto' })
export class ClaudeCodeHookDto {
  @ApiProperty({
    description: '`PreToolUse` and `UserPromptSubmit` are decided about; any other event is answered with `{}`.',
    example: 'PreToolUse',
  })
  hook_event_name!: string;

  @ApiPropertyOptional({ description: 'The model of the decision; its provider is `tool`.', example: 'Bash' })
  tool_name?: string;

  @ApiPropertyOptional({ ...ANY, description: 'Read only with `tool_input=attributes`.', example: { command: 'ls' } })
  tool_input?: object;

  @ApiPropertyOptional({ description: 'The same call is decided once.', example: 'toolu_01ABC123' })
  tool_use_id?: string;

  @ApiPropertyOptional({ description: 'Used for the token estimate; not stored.', example: 'Explain this file' })
  prompt?: string;

  @ApiPropertyOptional({ description: 'An attribute for conditions.', example: 'default' })
  permission_mode?: string;
}

/** What a hook decides about a tool call. */
@ApiSchema({ name: 'GovernanceClaudeCodePermissionDto' })
export class ClaudeCodePermissionDto {
  @ApiProperty({ enum: ['PreToolUse'], example: 'PreToolUse' })
  hookEventName!: 'PreToolUse';

  @ApiProperty({ enum: ['allow', 'deny', 'ask'], example: 'deny' })
  permissionDecision!: 'allow' | 'deny' | 'ask';

  @ApiProperty({ example: 'A policy blocks this request.' })
  permissionDecisionReason!: string;
}

/** Output of a hook of Claude Code. */
@ApiSchema({ name: 'GovernanceClaudeCodeAnswerDto' })
export class ClaudeCodeAnswerDto {
  @ApiPropertyOptional({ type: ClaudeCodePermissionDto, description: 'Only if a tool call is decided.' })
  hookSpecificOutput?: ClaudeCodePermissionDto;

  @ApiPropertyOptional({ enum: ['block'], description: 'Only if a prompt is refused.' })
  decision?: 'block';

  @ApiPropertyOptional({ description: 'Only beside `decision`.' })
  reason?: string;
}

/** How a hook is answered. */
export class ClaudeCodeHookQueryDto {
  @ChoiceField(['none', 'allow'], {
    optional: true,
    default: 'none',
    description: 'For allowed tool calls: `none` applies Claude Code’s own rules, `allow` skips its prompt.',
  })
  on_allow?: 'none' | 'allow';

  @ChoiceField(['none', 'ask'], {
    optional: true,
    default: 'none',
    description: 'If a policy alerts: `none` treats the call as allowed, `ask` lets the person confirm.',
  })
  on_alert?: 'none' | 'ask';

  @ChoiceField(['none', 'attributes'], {
    optional: true,
    default: 'none',
    description:
      '`attributes`: command, file_path and url of a tool are attributes for conditions, and are stored with the decision.',
  })
  tool_input?: 'none' | 'attributes';
}
