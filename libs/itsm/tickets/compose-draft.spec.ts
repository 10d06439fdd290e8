import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { composeDraft, type TicketMatter } from './compose-draft.js';
import { styleOf } from './ticket-style.js';

const MATTER: TicketMatter = {
  ...{ incidentId: 'i-1', type: 'policy_violation', severity: 'high', userId: 'u-1', userEmail: 'ada@example.com' },
  ...{
    provider: 'openai',
    model: 'gpt-4o',
    payload: { alert_id: 'i-1', details: { policy_name: 'No o1', policy_action: 'block' } },
  },
};

describe('the draft of a ticket', () => {
  it('has the title, the labels, the payload and the link of the contract, and says in words what happened', () => {
    expect(composeDraft(MATTER, styleOf({ serviceName: 'Acme Desk', dashboardUrl: 'https://g.example/' }))).toEqual({
      title: '[Acme Desk] policy_violation: Blocked: openai/gpt-4o for ada@example.com (policy “No o1”)',
      text: 'ada@example.com asked for openai/gpt-4o. The policy “No o1” blocked the request.\nSeverity: high',
      severity: 'high',
      labels: ['acme-desk', 'ai-policy', 'high'],
      payload: MATTER.payload,
      link: 'https://g.example/incidents/i-1',
    });
  });

  it('has the known values if some are unknown', () => {
    const title = (fields: Partial<TicketMatter>) =>
      composeDraft({ ...MATTER, ...fields }, styleOf({})).title.replace('[Service] policy_violation: ', '');
    expect(title({ userEmail: null })).toBe('Blocked: openai/gpt-4o for u-1 (policy “No o1”)');
    expect(title({ userEmail: null, userId: null, model: null })).toBe('Blocked: openai (policy “No o1”)');
    expect(title({ payload: {}, provider: null, model: null })).toBe('A person should look at this by ada@example.com');
  });

  const detailed = (details: JsonObject, fields: Partial<TicketMatter> = {}) =>
    composeDraft({ ...MATTER, ...fields, payload: { details } }, styleOf({}));

  it('says whether the policy only raises an alert, who the person is, and the department', () => {
    const person = { user_name: 'Ada Lovelace', department: 'Research' };
    const { title, text } = detailed({ policy_name: 'No o1', policy_action: 'alert', ...person });
    expect(title).toBe('[Service] policy_violation: Alert: openai/gpt-4o for ada@example.com (policy “No o1”)');
    expect(text?.split('\n')).toEqual([
      'Ada Lovelace (ada@example.com) asked for openai/gpt-4o. The policy “No o1” raised an alert.',
      'Severity: high',
      'Department: Research',
    ]);
  });

  it('shows person and policy whatever the length of the model', () => {
    const { title, text } = detailed({ policy_name: 'No o1', policy_action: 'block' }, { model: '🦊'.repeat(5_000) });
    expect(title).toMatch(/: openai\/🦊{36}… for ada@example\.com \(policy “No o1”\)$/u);
    expect(text?.length).toBeLessThan(200);
  });

  it('shows no name as a link, and each name in one line', () => {
    const { text } = detailed({ policy_name: 'No\no1', policy_action: 'block' }, { model: 'https://evil.example' });
    expect(text).toBe(
      'ada@example.com asked for openai/https: //evil.example. The policy “No o1” blocked the request.\nSeverity: high',
    );
  });

  it('describes unusual usage by its summary, without another text', () => {
    const details = { summary: '90 requests in an hour; at most 40 were expected' };
    const { title, text } = detailed(details, { type: 'anomaly_detected', provider: null, model: null });
    expect(title).toBe(`[Service] anomaly_detected: ${details.summary} by ada@example.com`);
    expect(text).toBeUndefined();
  });

  it('links to the incident in the dashboard if the address of the dashboard is known', () => {
    const dashboardUrl = 'https://d.example/dashboard/';
    for (const urls of [{ dashboardUrl }, { dashboardUrl, publicUrl: 'https://g.example' }]) {
      expect(composeDraft(MATTER, styleOf(urls)).link).toBe('https://d.example/dashboard/incidents/i-1');
    }
  });

  it('has no link if the service knows no address that a browser can open, or if there is no incident', () => {
    for (const urls of [{}, { publicUrl: 'https://g.example' }]) {
      expect(composeDraft(MATTER, styleOf(urls)).link).toBeNull();
    }
    const none = composeDraft({ ...MATTER, incidentId: null }, styleOf({ dashboardUrl: 'https://d.example' }));
    expect(none.link).toBeNull();
  });
});
