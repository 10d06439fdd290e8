import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f } from '#access';

/** Input of a hook of Claude Code. This class only documents the API; hand-written checks read the input. */
@ApiSchema({ name: 'GovernanceClaudeCodeHookDto' })
export class ClaudeCodeHookDto extends dtoOf({
  hook_event_name: f.text(
    'PreToolUse',
    '`PreToolUse` and `UserPromptSubmit` are decided about; any other event is answered with `{}`.',
  ),
  tool_name: f.text('Bash', 'The model of the decision; its provider is `tool`.').optional(),
  tool_input: f.record<object>({ command: 'ls' }, 'Read only with `tool_input=attributes`.').optional(),
  tool_use_id: f.text('toolu_01ABC123', 'The same call is decided once.').optional(),
  prompt: f.text('Explain this file', 'Used for the token estimate; not stored.').optional(),
  permission_mode: f.text('default', 'An attribute for conditions.').optional(),
}) {}

/** The decision of a hook about a tool call. */
@ApiSchema({ name: 'GovernanceClaudeCodePermissionDto' })
class ClaudeCodePermissionDto extends dtoOf({
  hookEventName: f.choice(['PreToolUse'], 'PreToolUse'),
  permissionDecision: f.choice(['allow', 'deny', 'ask'], 'deny'),
  permissionDecisionReason: f.text('A policy blocks this request.'),
}) {}

/** Output of a hook of Claude Code. */
@ApiSchema({ name: 'GovernanceClaudeCodeAnswerDto' })
export class ClaudeCodeAnswerDto extends dtoOf({
  hookSpecificOutput: f.nested(ClaudeCodePermissionDto, 'Only if a tool call is decided.').optional(),
  decision: f.of<'block'>({ enum: ['block'], description: 'Only if a prompt is refused.' }).optional(),
  reason: f.of<string>({ type: String, description: 'Only beside `decision`.' }).optional(),
}) {}

/** Query of the hook route. */
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
