import type { JsonObject } from '#core';
import { AdapterHttpError, type AdapterResponse } from '../../adapter/adapter-http.js';
import type { CreateOutcome, RejectionCode } from '../../adapter/create-outcome.js';
import {
  asObject,
  asText,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  quoted,
  retryAfterMs,
  type PlatformFault,
} from '../../adapter/platform-answer.js';

import type { JiraSite } from './jira-site.js';

/** An outcome other than `created`. */
export type JiraFailure = Exclude<CreateOutcome, { kind: 'created' }>;

/** Thrown if a read request to Jira failed. */
export class JiraFailureError extends PlatformAnswerError {
  constructor(readonly failure: JiraFailure) {
    super(failure.message, platformFailureOf(failure));
    this.name = 'JiraFailureError';
  }
}

function platformFailureOf(failure: JiraFailure): PlatformFault {
  if (failure.kind === 'rejected') return { code: failure.code };
  const wait = failure.kind === 'retryable' ? failure.retryAfterMs : undefined;
  return wait === undefined ? {} : { retryAfterMs: wait };
}

/** Fields that the connector's settings determine. Errors of other fields are requirements of the project. */
const SETTINGS = new Set(['project', 'issuetype', 'pid']);

const MISSING_SCOPE =
  'Jira’s gateway says that the API token lacks a scope (401, scope does not match): give it read:jira-work and ' +
  'write:jira-work. A token without scopes works without the API base URL only.';

/** Outcome of a create whose answer does not name an issue. */
export function failureOf(answer: AdapterResponse, { clock, words }: JiraSite): JiraFailure {
  const { status } = answer;
  if (lacksScope(answer)) return { kind: 'rejected', code: 'forbidden', message: MISSING_SCOPE };
  if (isUnknownUser(answer)) return { kind: 'rejected', code: 'auth', message: words.signIn };
  const { said, fields } = reasonsIn(answer);
  if (said !== undefined && (status === 400 || status === 413 || status === 422)) {
    const message = `Jira rejected the request (${status}): ${quoted(said)}`;
    return { kind: 'rejected', code: codeOf(status, fields), message, ...(fields && { fields }) };
  }
  return outcomeOfRefusal(answer, clock, said);
}

/**
 * Outcome of a create for which a read request got this answer. The read request created nothing, so an uncertain
 * outcome becomes retryable.
 */
export function failureWithoutIssue(answer: AdapterResponse, site: JiraSite): JiraFailure {
  const failure = failureOf(answer, site);
  if (failure.kind !== 'uncertain') return failure;
  const message = `Jira did not say what it was asked for (${answer.status}).`;
  const wait = retryAfterMs(answer, site.clock);
  return { kind: 'retryable', message, ...(wait !== undefined && { retryAfterMs: wait }) };
}

/**
 * Outcome of an attempt to create a ticket, if one of its read requests failed with this error.
 * @throws the error if it is another one
 */
export function readFailure(error: unknown): JiraFailure {
  if (error instanceof JiraFailureError) return error.failure;
  if (error instanceof AdapterHttpError) return { kind: 'retryable', message: error.message };
  throw error;
}

/**
 * Whether Jira does not recognize the account. Jira answers 401, or answers anonymously with the header
 * `x-seraph-loginreason` (https://confluence.atlassian.com/x/3oGkLg). Data Center names the user in a header of its
 * answers, even if the user is anonymous.
 */
export function isUnknownUser({ status, headers }: AdapterResponse): boolean {
  const isFailed = /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(headers['x-seraph-loginreason'] ?? '');
  return status === 401 || isFailed || headers['x-ausername'] === 'anonymous';
}

/**
 * Whether Jira reports that this account does not know the project. Jira Cloud reports it by the status, Data Center by
 * an error of the field.
 */
export function hidesProject(answer: AdapterResponse, failure: JiraFailure): boolean {
  if (failure.kind !== 'rejected' || failure.code === 'auth') return false;
  return answer.status === 404 || (answer.status === 400 && failure.fields?.['project'] !== undefined);
}

/** Whether Jira's gateway accepts the token, but the scopes of the token do not allow the request. */
function lacksScope(answer: AdapterResponse): boolean {
  return answer.status === 401 && /scope/i.test(asText(objectIn(answer)?.['message']) ?? '');
}

/**
 * Whether a 404 comes from Jira and is about the requested resource. A 404 from a proxy or for an unknown path has no
 * `errorMessages`.
 */
export function saysMissing(answer: AdapterResponse): boolean {
  const messages = objectIn(answer)?.['errorMessages'];
  return Array.isArray(messages) && messages.some(message => asText(message) !== undefined);
}

function codeOf(status: number, fields: Record<string, string> | undefined): RejectionCode {
  const names = Object.keys(fields ?? {});
  return status === 422 || names.some(name => SETTINGS.has(name)) ? 'config' : 'field';
}

/** Jira's error messages: `errorMessages` and `errors` by field, or the gateway's `message`. */
function reasonsIn(answer: AdapterResponse): { said?: string; fields?: Record<string, string> } {
  const json = objectIn(answer);
  if (json === undefined) return {};
  const fields = fieldErrors(json);
  const messages = Array.isArray(json['errorMessages']) ? json['errorMessages'] : [json['message']];
  const sentences = [
    ...messages.flatMap(message => asText(message) ?? []),
    ...Object.entries(fields).map(([field, message]) => `${field}: ${message}`),
  ];
  return {
    ...(sentences.length > 0 && { said: sentences.join(' ') }),
    ...(Object.keys(fields).length > 0 && { fields }),
  };
}

function fieldErrors(json: JsonObject): Record<string, string> {
  const errors = Object.entries(asObject(json['errors']) ?? {});
  return Object.fromEntries(
    errors.map(([field, message]) => [quoted(field), quoted(asText(message) ?? JSON.stringify(message))]),
  );
}
