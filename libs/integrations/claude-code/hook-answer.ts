import type { Decision } from '#policy';
import { reasonForUser } from '../people/refusal-reasons.js';
import type { HookQuestion } from './hook-request.js';

/** What Claude Code does if a decision allows the call. */
export interface HookBehavior {
  /**
   * If the decision is `allow`. `allow`: Claude Code runs the tool without a confirmation by the person. `none`: Claude
   * Code's own permission rules apply.
   */
  readonly onAllow: 'none' | 'allow';
  /**
   * If the decision is `alert`. `ask`: the person must confirm the tool call. `none`: the tool call is treated like an
   * allowed one.
   */
  readonly onAlert: 'none' | 'ask';
}

/** The answer to a hook, in Claude Code's format. Empty if Claude Code's own rules apply. */
export interface HookAnswer {
  readonly hookSpecificOutput?: {
    readonly hookEventName: 'PreToolUse';
    readonly permissionDecision: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason: string;
  };
  readonly decision?: 'block';
  readonly reason?: string;
}

const NOBODY =
  'Governance does not know who you are: configure the hook with your own token, or with your e-mail address in ' +
  'the header X-Governance-User.';

/** The answer for a decision. */
export function hookAnswer(event: HookQuestion['event'], decision: Decision, behavior: HookBehavior): HookAnswer {
  if (!decision.allowed) return refusal(event, reasonForUser(decision));
  if (event === 'UserPromptSubmit') return {};
  if (decision.action === 'alert' && behavior.onAlert === 'ask') {
    return permission('ask', 'A policy requires you to confirm this call.');
  }
  return behavior.onAllow === 'allow' ? permission('allow', 'Allowed by governance.') : {};
}

/** The answer if the person is unknown: the call is refused. */
export function answerToNobody(event: HookQuestion['event']): HookAnswer {
  return refusal(event, NOBODY);
}

function refusal(event: HookQuestion['event'], reason: string): HookAnswer {
  return event === 'PreToolUse' ? permission('deny', reason) : { decision: 'block', reason };
}

function permission(permissionDecision: 'allow' | 'deny' | 'ask', permissionDecisionReason: string): HookAnswer {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}
