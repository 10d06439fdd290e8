import type { ChatOutcome } from '../chat-notifier.port.js';

/** Error codes after which Slack may nevertheless have posted the message. */
const DOUBTFUL = new Set(['internal_error', 'fatal_error', 'request_timeout', 'update_failed']);
/** Error codes that are temporary. */
const PASSING = new Set([
  ...['ratelimited', 'rate_limited', 'service_unavailable', 'team_added_to_org', 'org_login_required'],
  'external_channel_migrating',
]);

const TOKEN = 'replace the notification secret with the Bot User OAuth Token of the installed app.';

/** Remedies for the operator, by the error codes on https://docs.slack.dev/reference/methods/chat.postMessage. */
const REMEDIES = new Map(
  Object.entries({
    invalid_auth: TOKEN,
    not_authed: TOKEN,
    token_revoked: TOKEN,
    token_expired: TOKEN,
    account_inactive: TOKEN,
    not_allowed_token_type: TOKEN,
    channel_not_found: 'check the id of the channel; to a private channel, invite the app.',
    not_in_channel: 'invite the app to the channel: type /invite and the name of the app there.',
    is_archived: 'choose another channel; this one is archived.',
    is_inactive: 'choose another channel; this one is archived.',
    restricted_action: 'let the app post in the channel; a setting of the workspace prevents it.',
    restricted_action_read_only_channel: 'let the app post in the channel, or choose another one.',
    ekm_access_denied: 'ask an administrator of Slack, who has suspended posting.',
    message_limit_exceeded: 'ask an administrator of Slack; the workspace has reached its limit of messages.',
  }),
);

/**
 * Outcome of a call that Slack refused with an error code.
 * @param scope the scope that the token lacks, if Slack names one
 */
export function slackError(code: string, scope?: string): ChatOutcome {
  if (DOUBTFUL.has(code)) return { kind: 'doubt', message: `Slack failed (${word(code)}).` };
  if (PASSING.has(code)) return { kind: 'retry', message: `Slack is not ready (${word(code)}).` };
  if (code === 'missing_scope') {
    const needed = scope === undefined ? 'chat:write' : word(scope);
    return { kind: 'refused', message: `Slack: missing_scope; add the scope ${needed} and install the app again.` };
  }
  const remedy = REMEDIES.get(code) ?? 'look the code up in the documentation of the method chat.postMessage.';
  return { kind: 'refused', message: `Slack: ${word(code)}; ${remedy}` };
}

/** Error codes are single words. Any other text is not shown to the operator. */
function word(code: string): string {
  return /^[a-z0-9_:,.]{1,80}$/.test(code) ? code : 'unknown code';
}
