import fc from 'fast-check';
import { readInput } from '#access';
import type { JsonObject } from '#core';
import { normalizedTextOf } from '../../../libs/itsm/adapter/normalized-text.js';
import { markdownText } from '../../../libs/itsm/adapter/markup.js';
import { AzureDevOpsAdapter } from '../../../libs/itsm/adapters/azure-devops/azure-devops.adapter.js';
import * as dataCenter from '../../../libs/itsm/adapters/jira-data-center/data-center-settings.js';
import { GitLabAdapter } from '../../../libs/itsm/adapters/gitlab/gitlab.adapter.js';
import { inboundOf } from '../../../libs/itsm/adapters/jira/jira-status.js';
import { JIRA_SECRETS, JIRA_SETTINGS } from '../../../libs/itsm/adapters/jira/jira-settings.js';
import { PagerDutyAdapter } from '../../../libs/itsm/adapters/pagerduty/pagerduty.adapter.js';
import { SETTINGS_SCHEMA } from '../../../libs/itsm/adapters/servicenow/connector.js';
import { readReport, stateOf } from '../../../libs/itsm/adapters/servicenow/incident-state.js';
import { SlackCommandAdapter } from '../../../libs/itsm/chat/slack/slack-command.adapter.js';
import { formFaults } from '../../../libs/itsm/connectors/form-check.js';
import { InboundReportDto } from '../../../libs/itsm/inbound/http/inbound.dto.js';
import { readTime } from '../../../libs/itsm/inbound/http/read-time.js';
import { lineOf, linesOf } from '../../../libs/itsm/inbound/report-text.js';
import { faultsOf } from '../../../libs/itsm/inbound/settings/allowed-networks.js';
import { anyJson, fields, mustBeJson, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const REPORT = {
  external_ticket_id: 'SEC-1',
  status: 'resolved',
  resolution: 'Done',
  notes: 'n\r\nm',
  updated_by: 'mia@x.example',
  event_id: 'e1',
  occurred_at: '2026-11-20T12:00:00.000+0100',
};
const JIRA = {
  webhookEvent: 'jira:issue_updated',
  timestamp: 1_790_000_000_000,
  issue: {
    id: '1',
    key: 'SEC-1',
    fields: { status: { name: 'Done', statusCategory: { key: 'done' } }, resolution: { name: 'Duplicate' } },
  },
  user: { displayName: 'Mia', emailAddress: 'mia@x.example' },
  changelog: { id: '10124' },
};
const SERVICE_NOW = {
  table: 'incident',
  number: 'INC0010001',
  state: '6',
  active: 'true',
  sys_id: 'a',
  sys_mod_count: '3',
};
const GITLAB = {
  object_kind: 'issue',
  project: { path_with_namespace: 'acme/security' },
  user: { username: 'mia', email: '[REDACTED]' },
  object_attributes: { id: 301, iid: 23, state: 'closed', updated_at: '2026-11-20 10:00:00 UTC', moved_to_id: null },
  labels: [{ title: 'resolution::wontfix' }],
};
const PAGERDUTY = {
  event: {
    id: '5ac64822',
    event_type: 'incident.resolved',
    occurred_at: '2026-11-20T10:00:00Z',
    agent: { summary: 'Mia' },
    data: { type: 'incident', incident_key: 'k', status: 'resolved' },
  },
};
const AZURE_DEVOPS = {
  eventType: 'workitem.updated',
  resource: {
    workItemId: 297,
    revision: {
      id: 297,
      rev: 5,
      fields: {
        ...{ 'System.State': 'Closed', 'System.Reason': 'Fixed', 'System.ChangedDate': '2026-11-20T12:00:00Z' },
        'System.ChangedBy': { uniqueName: 'mia@x.example' },
      },
    },
  },
};
const FORM =
  'team_id=T0001&user_id=U0001&command=%2Fservice-alerts&text=show+0199c2a8&response_url=https%3A%2F%2Fhooks.slack.com%2Fx&trigger_id=1.2';
const pagerduty = new PagerDutyAdapter();
const azure = new AzureDevOpsAdapter();
const gitlab = new GitLabAdapter();
const slack = new SlackCommandAdapter();

function asObject(value: unknown): JsonObject {
  // The fields that the DTO of a connector accepts.
  return (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as JsonObject;
}

const FORMS = [
  ...[JIRA_SETTINGS, JIRA_SECRETS, SETTINGS_SCHEMA],
  ...[azure.settingsSchema, azure.secretsSchema, dataCenter.SETTINGS_SCHEMA, dataCenter.SECRETS_SCHEMA],
];

/** Tickets, connectors and chats. */
export const ITSM_PARSERS: FuzzedParser[] = [
  {
    kind: 'json',
    name: 'ticket report',
    share: 2,
    seeds: [REPORT],
    grammar: fields({ external_ticket_id: text, status: text, notes: text, occurred_at: fc.oneof(text, fc.nat()) }),
    read: body => {
      const { occurred_at, notes, resolution } = readInput(InboundReportDto, body, 'body');
      readTime(occurred_at);
      linesOf(notes ?? '', 4_000);
      lineOf(resolution ?? '', 1_000);
    },
  },
  {
    kind: 'json',
    name: 'ticket report of Jira',
    seeds: [JIRA],
    grammar: fields({ webhookEvent: fc.constant(JIRA.webhookEvent), issue: fields({ key: text, fields: anyJson }) }),
    read: body => mustBeJson(inboundOf(asObject(body))),
  },
  {
    kind: 'json',
    name: 'ticket report of ServiceNow',
    seeds: [SERVICE_NOW],
    grammar: fields({ table: fc.constant('incident'), number: text, state: text, active: text }),
    read: body => mustBeJson([readReport(asObject(body)), stateOf(asObject(body))]),
  },
  {
    kind: 'json',
    name: 'ticket report of GitLab',
    seeds: [GITLAB],
    grammar: fields({
      object_kind: fc.constant('issue'),
      object_attributes: anyJson,
      labels: anyJson,
      project: anyJson,
    }),
    read: body =>
      mustBeJson(
        gitlab.mapInbound(asObject(body), { headers: { 'idempotency-key': JSON.stringify(body) }, bytes: null }),
      ),
  },
  {
    kind: 'json',
    name: 'ticket report of PagerDuty',
    seeds: [PAGERDUTY],
    grammar: fields({ event: fields({ id: text, event_type: text, data: anyJson, occurred_at: text }) }),
    read: body => mustBeJson(pagerduty.mapInbound(asObject(body))),
  },
  {
    kind: 'text',
    name: 'signature of a webhook',
    seeds: ['v1=00,v1=11', 'v1,AAAA= v1,BBBB=', 'whsec_AAAA'],
    grammar: sentence('v1', '=', ',', ' ', '00', 'AAAA', 'whsec_', '/'),
    read: given => {
      const headers = { 'webhook-signature': given, 'x-gitlab-token': given, 'x-pagerduty-signature': given };
      const bytes = Buffer.from(given);
      return [gitlab.isSigned({ headers, bytes }, given), pagerduty.isSigned({ headers, bytes }, given)];
    },
  },
  {
    kind: 'text',
    name: 'text in Markdown',
    seeds: ['/close\n@all https://x.example/a_b', '\\`*_[]<>#!', '- a\r\n+ b'],
    grammar: sentence('/close', '\n', '@all', 'https://', 'x', '_', '\\', ' ', '-', '\r'),
    read: given => markdownText(given),
  },
  {
    kind: 'json',
    name: 'ticket report of Azure DevOps',
    seeds: [AZURE_DEVOPS],
    grammar: fields({
      eventType: fc.constant(AZURE_DEVOPS.eventType),
      resource: fields({ id: fc.nat(), fields: anyJson }),
    }),
    read: body => mustBeJson(azure.mapInbound(asObject(body))),
  },
  {
    kind: 'text',
    name: 'Slack form',
    share: 2,
    seeds: [FORM, 'ssl_check=1', 'team_id=T1&team_id=T2', `text=${'%F0%9F%98%80'.repeat(50)}`],
    grammar: sentence('team_id', 'user_id', 'command', 'text', '=', '&', 'T0001', 'U0001', '%2F', '%', '+', '%ff'),
    read: body => {
      const request = {
        headers: { 'x-slack-signature': `v0=${body}`, 'x-slack-request-timestamp': body.slice(0, 10) },
        body: Buffer.from(body),
      };
      slack.isProbe(request);
      slack.readPress(request);
      const command = slack.read(request);
      if (!command) return;
      slack.isAuthentic(request, 'secret', NOW);
      slack.isReplyUrl(command.replyUrl);
      slack.reply(command.text);
    },
  },
  {
    kind: 'json',
    name: 'settings of a connector',
    seeds: [
      { instance_url: 'https://x.atlassian.net', project_key: 'SEC', issue_type: 'Task' },
      { instance_url: 'https://x.service-now.com', assignment_group: 'G' },
      { email: 'a@x.example', api_token: 't' },
      {
        organization_url: 'https://dev.azure.com/acme',
        project: 'AI',
        work_item_type: 'Bug',
        priorities: { high: '1' },
      },
      { username: 'a', password: 'p' },
      { personal_access_token: 't' },
    ],
    grammar: fields({ instance_url: fc.oneof(fc.webUrl(), text), project_key: text, issue_type: text }),
    read: values => FORMS.map(schema => formFaults(schema, asObject(values), 'settings')),
  },
  {
    kind: 'text',
    name: 'allowed networks',
    seeds: ['203.0.113.0/24', '2001:db8::/32', '::ffff:10.0.0.0/104', '10.1'],
    grammar: sentence('203.0.113.0', '/', '24', '::', 'ffff', ':', '10', '.', '%eth0', '0x7f'),
    read: network => faultsOf([network, ...network.split(',').slice(0, 50)]),
  },
  {
    kind: 'text',
    name: 'text of a platform',
    seeds: ['a &amp; b', '%25%32%30\\u0041&#65;&#x41;', 'Bearer abc\\n', '&constructor;'],
    grammar: sentence('&', 'amp;', '#', '65;', 'x41;', '%', '25', '\\', 'u0041', 'a'),
    read: given => [normalizedTextOf(given), lineOf(given, 255), linesOf(given, 4_000)],
  },
];
