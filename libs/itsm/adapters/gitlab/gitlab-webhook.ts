import { createHmac } from 'node:crypto';
import type { JsonObject } from '#core';
import { isSameSecret, type InboundReport } from '../../adapter/inbound-report.js';
import { asObject, asText } from '../../adapter/platform-answer.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { labelsIn, stateOf } from './gitlab-issue.js';
import { idIn } from './gitlab-request.js';

const DELIVERY = /^[\w.-]{1,200}$/;

/** A webhook of an issue (https://docs.gitlab.com/user/project/integrations/webhook_events/); null for anything else. */
export function inboundOf(body: JsonObject, delivery = ''): InboundUpdate | null {
  const issue =
    body['object_kind'] === 'issue' || body['object_kind'] === 'work_item' ? body['object_attributes'] : null;
  const given = asObject(issue) ?? {};
  const project = asText(asObject(body['project'])?.['path_with_namespace']);
  const [platformId, iid] = [idIn(given, 'id'), idIn(given, 'iid')];
  const state = stateOf(given, labelsIn(body['labels'] ?? given['labels']));
  if (project === undefined || platformId === undefined || iid === undefined || !state) return null;
  const user = asObject(body['user']);
  // An address that is not public is written so.
  const updatedBy = [asText(user?.['email']), asText(user?.['username'])].find(name => name && name !== '[REDACTED]');
  return {
    ...{ externalTicketId: `${project}#${iid}`, platformId, ...state },
    ...(updatedBy !== undefined && { updatedBy }),
    // A repetition has the same key. The colon ends it, so that no digits of it are taken for a count.
    ...(DELIVERY.test(delivery) && { eventId: `gitlab:${delivery}:` }),
  };
}

/**
 * Whether GitLab sent a report: signed with a signing token, `whsec_…`, by Standard Webhooks
 * (https://www.standardwebhooks.com), or, where it is not signed, with the secret token.
 */
export function isFromGitLab({ headers, bytes }: InboundReport, secret: string): boolean {
  const header = (name: string): string => (Object.hasOwn(headers, name) ? (headers[name] ?? '') : '');
  const signatures = header('webhook-signature');
  if (signatures === '') return bytes !== null && isSameSecret(secret, header('x-gitlab-token'));
  if (bytes === null) return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.`;
  const wanted = `v1,${createHmac('sha256', key).update(signed).update(bytes).digest('base64')}`;
  return signatures.split(' ').some(each => isSameSecret(wanted, each));
}
