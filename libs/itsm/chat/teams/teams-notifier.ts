import type { AdapterResponse } from '../../adapter/adapter-http.js';
import { asObject, asText, objectIn, retryAfterMs } from '../../adapter/platform-answer.js';
import type { ChatNotice, ChatNotifier, ChatOutcome, ChatTarget } from '../chat-notifier.port.js';
import { teamsMessage } from './teams-card.js';

/** Path of the URL that triggers a workflow. Its prefix depends on the environment. */
const TRIGGER = /\/workflows\/[^/]+\/triggers\/manual\/paths\/invoke$/;
const CONNECTOR_HOSTS = /(^|\.)(webhook\.office\.com|outlook\.office\.com|office365\.com)$/;

/** Posts adaptive cards through the webhook of a workflow in Teams. */
export class TeamsNotifier implements ChatNotifier {
  readonly secretTitle = 'URL of the workflow';

  secretFault(secret: string): string | undefined {
    const url = URL.parse(secret);
    if (url && CONNECTOR_HOSTS.test(url.hostname)) {
      return 'is the URL of an Office connector, which Microsoft has retired; create a workflow and use its URL';
    }
    const isTrigger = url?.protocol === 'https:' && TRIGGER.test(url.pathname) && url.searchParams.has('sig');
    if (isTrigger && url.username === '' && url.password === '') return undefined;
    return 'must be the whole URL of the workflow, with its signature: https://…/workflows/…/paths/invoke?…&sig=…';
  }

  channelFault(channel: string | undefined): string | undefined {
    return channel === undefined
      ? undefined
      : 'is not used by Teams, where the workflow names the channel; leave it out';
  }

  origins(secret: string): readonly string[] {
    const origin = URL.parse(secret)?.origin;
    return origin === undefined ? [] : [origin];
  }

  async post(target: ChatTarget, notice: ChatNotice): Promise<ChatOutcome> {
    const answer = await target.http.request({ method: 'POST', url: target.secret, json: teamsMessage(notice) });
    return outcomeOf(target, answer);
  }
}

const RENEW = 'copy the URL of the workflow again, and replace notification_secret.';

/** Status 202 means that the workflow has started. Only its run history shows whether it posted the card. */
function outcomeOf({ clock }: ChatTarget, response: AdapterResponse): ChatOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: 'sent', ref: null };
  if (status === 429) {
    const afterMs = retryAfterMs(response, clock);
    return { kind: 'retry', message: 'Teams limits the rate (429).', ...(afterMs !== undefined && { afterMs }) };
  }
  if (status >= 500) return { kind: 'doubt', message: `Teams failed (${status}) and may have posted the message.` };
  return { kind: 'refused', message: `Teams: ${reasonOf(status, codeOf(response))}` };
}

function reasonOf(status: number, code: string): string {
  const said = `${status} ${code}`.trim();
  if (code === 'WorkflowTriggerIsNotEnabled')
    return `${said}; the workflow is switched off: let its owner switch it on.`;
  if (status === 401 || status === 403) return `${said}; ${RENEW}`;
  if (status === 404) return `${said}; the workflow was deleted: create another one, and replace notification_secret.`;
  if (status === 410) return `${said}; this URL was given up by Microsoft: ${RENEW}`;
  return `${said}; look at the history of the workflow in Power Automate.`;
}

/** Error codes are single words. Other text is not shown. */
function codeOf(response: AdapterResponse): string {
  const code = asText(asObject(objectIn(response)?.['error'])?.['code']) ?? '';
  return /^[A-Za-z]{1,80}$/.test(code) ? code : '';
}
