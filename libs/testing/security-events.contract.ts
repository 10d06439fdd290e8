import { equal, ok } from 'node:assert/strict';
import { SECURITY_EVENT_TYPES, type SecurityEvent, type SecurityEventType } from '#access';
import { becomes, casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A receiver of security events under test. Created for each case. */
export interface SecurityEventsGround extends Closable {
  readonly events: { record(event: SecurityEvent): void };
  /** The texts that have arrived at the target of the events. Omit it if they cannot be read. */
  readonly arrived?: () => Promise<readonly string[]> | readonly string[];
  /** Makes the target unreachable. Omit it if that is impossible. */
  readonly cutOff?: () => Promise<void> | void;
}

/** Number of refused requests that are reported at the same time. */
const FLOOD = 10_000;
const ARRIVES_MS = 1_500;
const ODD_TEXTS = ['', '\u0000', 'a\nb', '\u2028', '"', '%s %d', '__proto__', '🙂', 'a'.repeat(10_000)];

const RULES: Record<string, (ground: SecurityEventsGround) => Promise<void> | void> = {
  'accepts each type of event, with and without optional fields'({ events }) {
    for (const type of SECURITY_EVENT_TYPES) {
      events.record(eventOf(type));
      events.record({ ...eventOf(type), actor: null, address: null, requestId: null, route: null });
      events.record({ ...eventOf(type), target: { type: 'token', id: 'token-1' } });
    }
  },
  'accepts any text, and never throws'({ events }) {
    for (const text of ODD_TEXTS) {
      events.record({ ...eventOf('access_denied'), address: text, requestId: text, route: text, reason: text });
    }
  },
  'returns at once, without a promise'({ events }) {
    equal(events.record(eventOf('sign_in')), undefined);
  },
  'does not change the event'({ events }) {
    const event = { ...eventOf('access_revoked'), target: { type: 'token', id: 'token-1' } };
    const before = JSON.stringify(event);
    events.record(event);
    equal(JSON.stringify(event), before);
  },
  'accepts a large number of refusals, and never throws'({ events }) {
    for (let n = 0; n < FLOOD; n++) events.record(eventOf('sign_in_failed'));
  },
  'forwards the actor, the action and the address'({ events, arrived }) {
    if (!arrived) return;
    events.record(eventOf('access_denied'));
    return becomes(ARRIVES_MS, async () => {
      const texts = await arrived();
      const told = ['access_denied', 'token-17', '203.0.113.7', 'request-17', 'GET /v1/policies/:id'];
      ok(
        texts.some(text => told.every(each => text.includes(each))),
        'one text names type, actor, address, request and route',
      );
    });
  },
  'forwards a revocation that follows a large number of refusals'({ events, arrived }) {
    if (!arrived) return;
    for (let n = 0; n < FLOOD; n++) events.record(eventOf('sign_in_failed'));
    events.record({ ...eventOf('access_revoked'), target: { type: 'token', id: 'token-18' } });
    return becomes(ARRIVES_MS, async () => {
      const texts = await arrived();
      ok(
        texts.some(text => text.includes('access_revoked') && text.includes('token-18')),
        'the revocation has arrived',
      );
    });
  },
  async 'never throws while its target is unreachable'({ events, cutOff }) {
    if (!cutOff) return;
    await cutOff();
    for (const type of SECURITY_EVENT_TYPES) equal(events.record(eventOf(type)), undefined);
  },
};

function eventOf(type: SecurityEventType): SecurityEvent {
  return {
    type,
    at: new Date('2026-11-20T12:00:00Z'),
    actor: { orgId: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60', kind: 'token', id: 'token-17' },
    address: '203.0.113.7',
    requestId: 'request-17',
    route: 'GET /v1/policies/:id',
    reason: 'The scope policies:read is missing.',
  };
}

/** The contract of `SecurityEvents`: the cases that every receiver must pass. `makeGround` is called for each case. */
export function securityEventsContract(
  makeGround: () => Promise<SecurityEventsGround> | SecurityEventsGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
