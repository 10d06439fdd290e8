import { describe, expect, it } from '@jest/globals';
import { composeDraft, type TicketMatter } from './compose-draft.js';
import { styleOf } from './ticket-style.js';

const MATTER: TicketMatter = {
  ...{ incidentId: 'i-1', type: 'policy_violation', severity: 'high', userId: 'u-1', userEmail: 'ada@example.com' },
  ...{ provider: 'openai', model: 'gpt-4o', payload: { alert_id: 'i-1', details: { policy_name: 'No o1' } } },
};

describe('the draft of a ticket', () => {
  it('has the title, the labels, the payload and the link of the contract', () => {
    expect(composeDraft(MATTER, styleOf({ serviceName: 'Acme Desk', dashboardUrl: 'https://g.example/' }))).toEqual({
      title: '[Acme Desk] policy_violation: No o1 by ada@example.com with openai/gpt-4o',
      severity: 'high',
      labels: ['acme-desk', 'ai-policy', 'high'],
      payload: MATTER.payload,
      link: 'https://g.example/incidents/i-1',
    });
  });

  it('has the known values if some are unknown', () => {
    const title = (fields: Partial<TicketMatter>) => composeDraft({ ...MATTER, ...fields }, styleOf({})).title;
    expect(title({ userEmail: null })).toBe('[Service] policy_violation: No o1 by u-1 with openai/gpt-4o');
    expect(title({ userEmail: null, userId: null, model: null })).toBe('[Service] policy_violation: No o1 with openai');
    expect(title({ payload: {}, provider: null, model: null })).toContain(
      'A person should look at this by ada@example.com',
    );
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
