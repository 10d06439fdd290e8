import type { Json, JsonObject } from '#core';
import { asObject } from '#itsm';

const ACTIONS = ['trigger', 'acknowledge', 'resolve'];
const SEVERITIES = ['critical', 'error', 'warning', 'info'];

/**
 * Maximum lengths of values in characters (https://developer.pagerduty.com/docs/events-api-v2/trigger-events/,
 * "Parameters").
 */
const ROUTING_KEY_LENGTH = 32;
const DEDUP_KEY_MAX = 255;
const SUMMARY_MAX = 1_024;

/**
 * The errors of an event, one sentence each. The vendor documents the rules, but only one sentence: "Length of
 * 'routing_key' is incorrect (should be 32 characters)". The other sentences follow its pattern.
 */
export function eventDefects(event: JsonObject): string[] {
  const { routing_key: routingKey, event_action: action, dedup_key: dedupKey } = event;
  const defects: string[] = [];
  if (!isFilled(routingKey)) defects.push(missing('routing_key'));
  else if (routingKey.length !== ROUTING_KEY_LENGTH) {
    defects.push(`Length of 'routing_key' is incorrect (should be ${ROUTING_KEY_LENGTH} characters)`);
  }
  if (!isFilled(action)) defects.push(missing('event_action'));
  else if (!ACTIONS.includes(action)) defects.push(`'event_action' is invalid (must be one of: ${ACTIONS.join(', ')})`);
  if (action !== 'trigger' && !isFilled(dedupKey)) defects.push(missing('dedup_key'));
  if (dedupKey !== undefined && typeof dedupKey !== 'string') defects.push("'dedup_key' must be a string");
  if (isFilled(dedupKey) && dedupKey.length > DEDUP_KEY_MAX) defects.push(tooLong('dedup_key', DEDUP_KEY_MAX));
  if (action === 'trigger') defects.push(...payloadDefects(asObject(event['payload'])));
  return [...defects, ...attachmentDefects('links', 'href', event), ...attachmentDefects('images', 'src', event)];
}

function payloadDefects(payload: JsonObject | undefined): string[] {
  if (!payload) return [missing('payload')];
  const { summary, source, severity, custom_details: details } = payload;
  const defects: string[] = [];
  if (!isFilled(summary)) defects.push(missing('payload.summary'));
  else if (summary.length > SUMMARY_MAX) defects.push(tooLong('payload.summary', SUMMARY_MAX));
  if (!isFilled(source)) defects.push(missing('payload.source'));
  if (!isFilled(severity)) defects.push(missing('payload.severity'));
  else if (!SEVERITIES.includes(severity)) {
    defects.push(`'payload.severity' is invalid (must be one of: ${SEVERITIES.join(', ')})`);
  }
  if (details !== undefined && !asObject(details)) defects.push("'payload.custom_details' must be an object");
  return defects;
}

/** Links need `href`; images need `src`, over HTTPS ("Context Properties"). */
function attachmentDefects(name: 'links' | 'images', key: 'href' | 'src', event: JsonObject): string[] {
  const list = event[name];
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`'${name}' must be an array`];
  return list.flatMap((entry, at) => {
    const address = asObject(entry)?.[key];
    if (!isFilled(address)) return [missing(`${name}[${at}].${key}`)];
    return name === 'images' && !address.startsWith('https:') ? [`'images[${at}].src' must be served via HTTPS`] : [];
  });
}

function isFilled(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

const missing = (name: string): string => `'${name}' is missing or blank`;
const tooLong = (name: string, max: number): string => `'${name}' is too long (maximum is ${max} characters)`;
