import { describe, expect, it } from '@jest/globals';
import type { ForRootOptions } from '#governance';
import { deskStage, startDesk } from './tickets.support.js';

const PUBLIC = { devices: { publicUrl: 'https://governance.example.com/api/' } };

/** The link of a new ticket, with `ID` in place of the id of its incident. */
async function linkWith(options: Partial<ForRootOptions>): Promise<unknown> {
  const app = await startDesk(options);
  try {
    const stage = await deskStage(app);
    await stage.violate();
    const [{ incident_id: id }] = await stage.settled('created');
    const link = app.desk.tickets[0]?.body['link'];
    return typeof link === 'string' ? link.replace(String(id), 'ID') : link;
  } finally {
    await app.close();
  }
}

describe('the link of a ticket', () => {
  it('leads to the dashboard that the module serves at its own path', async () => {
    const dashboard = { sessions: true };
    expect(await linkWith({ ...PUBLIC, dashboard })).toBe('https://governance.example.com/api/incidents/ID');
  });

  it('leads to the dashboard that the module serves at another path for people of the host', async () => {
    const people = { resolveUser: () => null, resolveAccess: () => 'none' as const };
    const dashboard = { path: '/desk/board/', ...people };
    expect(await linkWith({ ...PUBLIC, dashboard })).toBe('https://governance.example.com/api/desk/board/incidents/ID');
  });

  it('leads to the configured dashboard, whether the module serves one or not', async () => {
    const itsm = { dashboardUrl: 'https://board.example.com/' };
    const dashboard = { sessions: true };
    for (const more of [{}, { dashboard }]) {
      expect(await linkWith({ ...PUBLIC, itsm, ...more })).toBe('https://board.example.com/incidents/ID');
    }
  });

  it.each([
    ['no dashboard is served', PUBLIC],
    ['the dashboard names no way to sign in', { ...PUBLIC, dashboard: {} }],
    ['no address is known', { dashboard: { sessions: true } }],
  ])('is missing if %s', async (_why, options) => {
    expect(await linkWith(options)).toBeNull();
  });
});
