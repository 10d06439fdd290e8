import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { LoggedSecurityEvents } from './logged-security-events.js';
import { SECURITY_EVENT_TYPES, type SecurityEvent } from './security-events.port.js';

const clock = new ManualClock();

const failed = (fields: Partial<SecurityEvent> = {}): SecurityEvent => ({
  type: 'sign_in_failed',
  at: clock.now(),
  actor: null,
  address: '203.0.113.7',
  requestId: 'request-1',
  route: 'GET /v1/policies',
  reason: 'The access token is unknown.',
  ...fields,
});

/** The lines that are logged while the work runs. */
function linesOf(work: (events: LoggedSecurityEvents) => void): string[] {
  const lines: string[] = [];
  const keep = (line: unknown): void => void lines.push(String(line));
  for (const level of ['log', 'warn'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(keep);
  const events = new LoggedSecurityEvents(clock);
  work(events);
  events.onModuleDestroy();
  return lines;
}

describe('LoggedSecurityEvents', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('writes an event as one line of JSON: actor, address and action', () => {
    const actor = {
      orgId: 'o',
      kind: 'token',
      id: 't',
      userId: 'u',
      name: 'Ada',
      scopes: new Set(),
      secret: 's',
    } as const;
    const target = { type: 'token', id: 'x' };
    const [line = '', ...more] = linesOf(events => events.record(failed({ type: 'access_revoked', actor, target })));
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toEqual({
      event: 'access_revoked',
      at: clock.now().toISOString(),
      org_id: 'o',
      actor: { kind: 'token', id: 't', user_id: 'u' },
      address: '203.0.113.7',
      request_id: 'request-1',
      route: 'GET /v1/policies',
      reason: 'The access token is unknown.',
      target: { type: 'token', id: 'x' },
    });
  });

  it('writes one line of printable characters whatever an event contains', () => {
    const reason = 'a\nb\r\u001b[31mc\u009bd\u2028e';
    const [line = ''] = linesOf(events => events.record(failed({ reason })));
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(line)).toMatchObject({ reason });
  });

  it('writes some events of a flood, then the number of further events with their address, and every event of another type', () => {
    const lines = linesOf(events => {
      for (let n = 0; n < 10_000; n++) events.record(failed({ address: `203.0.113.${n % 40}` }));
      events.record(failed({ type: 'access_revoked', reason: 'token.revoked' }));
    });
    expect(lines.length).toBeLessThan(70);
    const read = lines.map(line => JSON.parse(line));
    const written = read.filter(({ event }) => event === 'sign_in_failed').length;
    expect(read.filter(({ event }) => event === 'access_revoked')).toHaveLength(1);
    const [summary, ...more] = read.filter(({ event }) => event === 'left_out');
    expect(more).toEqual([]);
    expect(summary).toMatchObject({ of: 'sign_in_failed', count: 10_000 - written });
    expect(Object.keys(summary.addresses)).toHaveLength(11);
  });

  it('writes a sign-in at level info, and everything else as a warning', () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const events = new LoggedSecurityEvents(clock);
    for (const type of SECURITY_EVENT_TYPES) events.record(failed({ type }));
    expect([log.mock.calls.length, warn.mock.calls.length]).toEqual([1, SECURITY_EVENT_TYPES.length - 1]);
  });

  it('writes again after the flood', () => {
    const lines = linesOf(events => {
      for (let n = 0; n < 100; n++) events.record(failed());
      clock.advance(3_000);
      for (let n = 0; n < 100; n++) events.record(failed({ requestId: 'later-1' }));
    });
    expect(lines.filter(line => line.includes('later-1'))).toHaveLength(3);
  });
});
