import { randomBytes, randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { withFaults, type FaultyPlatform } from '../vendor-faults.js';

/** Special settings of a workflow. A test can change them at any time. */
export interface WorkflowConditions {
  /**
   * `disabled`: the owner of the workflow switched it off or left the company. `retired`: the URL has the host name
   * that was shut down in 2025.
   */
  state: 'on' | 'disabled' | 'deleted' | 'retired';
  /** Maximum number of requests per second that the trigger accepts. Teams allows four. Default: no limit. */
  requestsPerSecond: number | null;
}

/** A run of the workflow. The caller does not learn its result. */
export interface WorkflowRun {
  readonly status: 'Succeeded' | 'Failed';
  /** The error that the run history of Power Automate shows for the run. */
  readonly error: string | null;
  readonly card: JsonObject | null;
}

/** The workflow “Post to a channel when a webhook request is received” of one channel. */
export interface TeamsWorkflow extends PlatformEndpoint, FaultyPlatform {
  /** The URL as Teams shows it, with its signature. */
  readonly webhookUrl: string;
  readonly runs: readonly WorkflowRun[];
  readonly conditions: WorkflowConditions;
  now: () => Date;
}

/** The host name that the emulator serves, in the format of Power Platform environments. */
export const TEAMS_HOST = 'defaultacme.0a.environment.api.powerplatform.com';

/** "When posting a message, the message size limit is about 28 KB" (https://learn.microsoft.com/connectors/teams/). */
const MESSAGE_MAX_BYTES = 28 * 1024;
const ADAPTIVE = 'application/vnd.microsoft.card.adaptive';

/**
 * Emulates the trigger “When a Teams webhook request is received” and the actions after it
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using,
 * https://learn.microsoft.com/azure/logic-apps/logic-apps-http-endpoint). The trigger answers 202 before the card is
 * posted. If the card cannot be posted, only the run fails.
 */
export async function startTeamsWorkflow(options: Omit<EndpointOptions, 'behaviour'>): Promise<TeamsWorkflow> {
  const conditions: WorkflowConditions = { state: 'on', requestsPerSecond: null };
  const runs: WorkflowRun[] = [];
  const path = `/powerautomate/automations/direct/workflows/${randomUUID().replaceAll('-', '')}/triggers/manual/paths/invoke`;
  const signature = randomBytes(32).toString('base64url');
  let taken: number[] = [];

  const isTooFast = (): boolean => {
    const now = workflow.now().getTime();
    taken = taken.filter(at => at > now - 1_000);
    if (conditions.requestsPerSecond !== null && taken.length >= conditions.requestsPerSecond) return true;
    taken.push(now);
    return false;
  };

  const perform = ({ method, url, body, json, headers }: PlatformRequest): PlatformAnswer => {
    if (conditions.state === 'retired') return refused(410, 'Gone', 'The requested resource is no longer available.');
    if (url.pathname !== path || conditions.state === 'deleted') {
      return refused(404, 'WorkflowNotFound', 'The workflow could not be found.');
    }
    if (url.searchParams.get('sig') !== signature || headers['authorization'] !== undefined) {
      return refused(401, 'DirectApiAuthorizationRequired', 'The request must have exactly one authentication scheme.');
    }
    if (method !== 'POST') return refused(405, 'MethodNotAllowed', 'The trigger takes POST requests.');
    if (conditions.state === 'disabled') {
      const message = "Could not execute workflow trigger 'manual' with state 'Disabled'.";
      return refused(400, 'WorkflowTriggerIsNotEnabled', message);
    }
    if (isTooFast()) return THROTTLED;
    if (json === undefined) return refused(400, 'InvalidRequestContent', 'The request content is not valid JSON.');
    runs.push(...runsOf(asObject(json) ?? {}, body.length));
    return { status: 202, text: '' };
  };

  const platform = await startPlatform({ ...options, names: [TEAMS_HOST, ...(options.names ?? [])] }, perform);
  const workflow: TeamsWorkflow = Object.assign(platform, {
    webhookUrl: `https://${TEAMS_HOST}${path}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${signature}`,
    ...{ runs, conditions, now: () => new Date() },
    // withFaults replaces it.
    fault: () => ({ end: () => undefined }),
  });
  return withFaults(workflow, {
    throttled: THROTTLED,
    failed: refused(500, 'InternalServerError', 'Encountered an error.'),
  });
}

/** The action “Send each adaptive card” runs once per attachment. */
function runsOf({ attachments }: JsonObject, bytes: number): WorkflowRun[] {
  if (!Array.isArray(attachments)) {
    return [failed("the result of the evaluation of 'foreach' expression is of type 'Null'")];
  }
  return attachments.map(attachment => {
    const { contentType, content } = asObject(attachment) ?? {};
    const card = asObject(content);
    if (contentType !== ADAPTIVE || card?.['type'] !== 'AdaptiveCard') return failed('BadRequest');
    if (bytes > MESSAGE_MAX_BYTES) return failed('Request Entity too large');
    const unsupported = actionsOf(card).find(type => type === 'Action.Submit' || type === 'Action.Execute');
    return unsupported === undefined
      ? { status: 'Succeeded', error: null, card }
      : failed(`BadRequest: ${unsupported}`);
  });
}

function actionsOf({ actions }: JsonObject): Json[] {
  return (Array.isArray(actions) ? actions : []).map(action => asObject(action)?.['type'] ?? null);
}

function failed(error: string): WorkflowRun {
  return { status: 'Failed', error, card: null };
}

function refused(status: number, code: string, message: string): PlatformAnswer {
  return { status, json: { error: { code, message } } };
}

const THROTTLED: PlatformAnswer = {
  status: 429,
  headers: { 'retry-after': '2' },
  json: { error: { code: 'TooManyRequests', message: 'Rate limit is exceeded. Try again in 2 seconds.' } },
};
