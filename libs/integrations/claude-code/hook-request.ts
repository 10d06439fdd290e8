import { BadRequestError, isStorableText, shortened, UnsupportedMediaTypeError } from '#core';
import { DECISION_LIMITS } from '#policy';
import { isRecord, memberOf, type JsonRecord } from '../records.js';

/** The provider that stands for tools in decisions, as in access evaluations. */
const TOOL_PROVIDER = 'tool';
/** The model of prompts in decisions. Hooks are not told the actual model. */
const UNKNOWN_MODEL = 'unknown';
const PROMPT_PROVIDER = 'anthropic';
const APP = 'claude-code';
const CHARACTERS_PER_TOKEN = 4;
const MCP_TOOL = /^mcp__(.+?)__(.+)$/s;
/** Members of a tool's input that conditions may use. */
const INPUT_MEMBERS = ['command', 'file_path', 'url'] as const;

/** The request of a hook of Claude Code. */
export interface HookQuestion {
  readonly event: 'PreToolUse' | 'UserPromptSubmit';
  readonly provider: string;
  readonly model: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly estimatedInputTokens: number;
  /** The idempotency key. A repeated request for the same tool call gets the same decision. */
  readonly idempotencyKey: string | undefined;
}

/**
 * Reads the input of a hook. Undefined for events that need no decision. Prompts are measured but not stored. If
 * `readsInput` is set, command, path and URL of a tool become attributes.
 * @throws BadRequestError if the input is invalid
 */
export function readHookRequest(body: unknown, readsInput: boolean): HookQuestion | undefined {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send a JSON object as the body, with content-type: application/json.');
  }
  if (!isRecord(body)) throw BadRequestError.field('body', 'must be a JSON object');
  const event = textOf(body, 'hook_event_name', DECISION_LIMITS.text);
  if (event === undefined) throw BadRequestError.field('hook_event_name', 'is required and must be a text');
  if (event === 'UserPromptSubmit') return promptQuestion(body);
  return event === 'PreToolUse' ? toolQuestion(body, readsInput) : undefined;
}

function promptQuestion(body: JsonRecord): HookQuestion {
  const prompt = body['prompt'];
  const characters = typeof prompt === 'string' ? prompt.length : 0;
  return {
    event: 'UserPromptSubmit',
    provider: PROMPT_PROVIDER,
    model: UNKNOWN_MODEL,
    attributes: { action: 'prompt', resource_type: 'model', ...situationOf(body) },
    estimatedInputTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    idempotencyKey: undefined,
  };
}

function toolQuestion(body: JsonRecord, readsInput: boolean): HookQuestion {
  const tool = textOf(body, 'tool_name', DECISION_LIMITS.text);
  if (tool === undefined) throw BadRequestError.field('tool_name', 'is required and must be a text');
  const [, server, name] = MCP_TOOL.exec(tool) ?? [];
  const call = textOf(body, 'tool_use_id', DECISION_LIMITS.text);
  return {
    event: 'PreToolUse',
    provider: TOOL_PROVIDER,
    model: tool,
    attributes: {
      ...{ action: 'use_tool', resource_type: 'tool' },
      ...(server === undefined || name === undefined ? {} : { mcp_server: server, mcp_tool: name }),
      ...situationOf(body),
      ...(readsInput ? inputOf(body['tool_input']) : {}),
    },
    estimatedInputTokens: 0,
    idempotencyKey: call === undefined ? undefined : shortened(`claude-code:${call}`, DECISION_LIMITS.text),
  };
}

function situationOf(body: JsonRecord): Record<string, string> {
  const [mode, agent] = ['permission_mode', 'agent_type'].map(name => textOf(body, name, DECISION_LIMITS.text));
  return {
    app: APP,
    ...(mode === undefined ? {} : { permission_mode: mode }),
    ...(agent === undefined ? {} : { agent_type: agent }),
  };
}

function inputOf(input: unknown): Record<string, string> {
  return Object.fromEntries(
    INPUT_MEMBERS.flatMap(name => {
      const value = memberOf(input, name);
      if (typeof value !== 'string' || value === '' || !isStorableText(value)) return [];
      return [[name, shortened(value, DECISION_LIMITS.attributeText)]];
    }),
  );
}

/** A text of the body; undefined if it is missing, empty, too long or not storable. */
function textOf(body: JsonRecord, name: string, max: number): string | undefined {
  const value = body[name];
  const fits = typeof value === 'string' && value !== '' && value.length <= max && isStorableText(value);
  return fits ? value : undefined;
}
