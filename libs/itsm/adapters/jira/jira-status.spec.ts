import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { inboundOf, stateOf } from './jira-status.js';

const fieldsOf = (category: string, resolution?: string, name = 'Erledigt'): JsonObject => ({
  status: { name, statusCategory: { key: category } },
  resolution: resolution === undefined ? null : { name: resolution },
});

describe('stateOf', () => {
  it.each([
    ['undefined', undefined, 'open'],
    ['new', undefined, 'open'],
    ['indeterminate', undefined, 'in_progress'],
    ['done', undefined, 'resolved'],
    ['done', 'Done', 'resolved'],
    ['done', 'Fertig', 'resolved'],
    ['done', "Won't Do", 'closed'],
    ['done', 'Won’t do', 'closed'],
    ['done', 'Duplicate', 'closed'],
    // If the issue is open again, the resolution from its earlier completion does not count.
    ['indeterminate', 'Duplicate', 'in_progress'],
  ])('maps category %s with resolution %s to %s', (category, resolution, status) => {
    expect(stateOf(fieldsOf(category, resolution))).toMatchObject({ status });
  });

  it('maps a done issue whose column is called Closed to closed', () => {
    expect(stateOf(fieldsOf('done', 'Done', 'Closed'))).toEqual({ status: 'closed', resolution: 'Done' });
  });

  it('returns nothing for categories that Jira does not have', () => {
    expect([stateOf(fieldsOf('constructor')), stateOf({}), stateOf({ status: null })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('inboundOf', () => {
  const issue = { id: '20001', key: 'SEC-17', fields: fieldsOf('done', 'Done') };

  it('reads the time, the person and the id of the change, if Jira sends them', () => {
    const body = { webhookEvent: 'jira:issue_updated', issue, timestamp: 1_795_168_800_000, changelog: { id: '7' } };
    expect(inboundOf({ ...body, user: { displayName: 'Mia' } })).toEqual({
      externalTicketId: 'SEC-17',
      platformId: '20001',
      status: 'resolved',
      resolution: 'Done',
      occurredAt: new Date(1_795_168_800_000),
      updatedBy: 'Mia',
      eventId: 'jira:20001:7',
    });
    expect(inboundOf({ webhookEvent: 'jira:issue_created', issue })).toEqual({
      externalTicketId: 'SEC-17',
      platformId: '20001',
      status: 'resolved',
      resolution: 'Done',
    });
  });

  it('prefers the time of the issue to that of the report', () => {
    const updated = '2026-11-20T11:15:00.123+0100';
    const body = { webhookEvent: 'jira:issue_updated', issue: { ...issue, fields: { ...issue.fields, updated } } };
    expect(inboundOf({ ...body, timestamp: 1 })?.occurredAt).toEqual(new Date('2026-11-20T10:15:00.123Z'));
  });

  it.each([
    ['another event', { webhookEvent: 'comment_created', issue }],
    ['a deletion', { webhookEvent: 'jira:issue_deleted', issue }],
    ['an issue without a key', { webhookEvent: 'jira:issue_updated', issue: { ...issue, key: '' } }],
    ['an issue without a status', { webhookEvent: 'jira:issue_updated', issue: { ...issue, fields: {} } }],
    ['a report in the generic format', { external_ticket_id: 'SEC-17', status: 'resolved' }],
  ])('ignores %s', (_what, body) => {
    expect(inboundOf(body)).toBeNull();
  });
});
