import { describe, expect, it } from '@jest/globals';
import { ocsfFaults } from '../testing/ocsf-faults.js';
import { auditEvent, type AuditRowFacts } from './audit-events.js';
import { incidentEvent, type IncidentFacts } from './incident-events.js';
import { securityEvent, STREAMED_TYPES, type SecurityFacts } from './security-events.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const SOURCE = { uid: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21', orgId: ORG, mayBeRepeated: false };

const rowOf = (action: string, fields: Partial<AuditRowFacts> = {}): AuditRowFacts => ({
  seq: 7,
  id: SOURCE.uid,
  occurred_at: '2026-11-20T12:00:00.123000Z',
  actor_kind: 'token',
  actor_id: 'token-1',
  actor_name: 'Ada',
  actor_user_id: USER,
  address: '203.0.113.7',
  request_id: 'request-17',
  action,
  resource_type: action.split('.')[0] ?? '',
  resource_id: 'r-1',
  before: null,
  after: '{"name":"Large models"}',
  hash: 'ab'.repeat(32),
  ...fields,
});

const TOKEN = JSON.stringify({ name: 'gateway', role: 'agent', scopes: ['decisions:write'], user_id: null });

const INCIDENT: IncidentFacts = {
  incident_id: 'i-1',
  type: 'policy_violation',
  severity: 'high',
  at: '2026-11-20T12:00:00.123Z',
  user_id: USER,
  user_email: 'ada@example.com',
  policy_id: 'p-1',
  provider: 'openai',
  model: 'gpt-4o',
  decision_id: 'd-1',
  action: 'block',
  details: { policy_name: 'Large models' },
};

const SECURITY: SecurityFacts = {
  type: 'sign_in_failed',
  at: '2026-11-20T12:00:00.123Z',
  actor: null,
  address: '203.0.113.7',
  request_id: 'request-17',
  route: 'GET /v1/policies',
  reason: 'The access token is unknown.',
};

describe('an event of a row of the audit log', () => {
  it.each([
    ['user.created', 3001, 1, 'Create'],
    ['user.suspended', 3001, 5, 'Disable'],
    ['user.reinstated', 3001, 2, 'Enable'],
    ['user.department_assigned', 3001, 99, 'department_assigned'],
    ['token.created', 3005, 1, 'Assign Privileges'],
    ['token.revoked', 3005, 2, 'Revoke Privileges'],
    ['token.rotated', 3005, 99, 'rotated'],
    ['session.revoked', 3005, 2, 'Revoke Privileges'],
    ['identity.linked', 3005, 1, 'Assign Privileges'],
    ['chat_link.deleted', 3005, 2, 'Revoke Privileges'],
    ['scim_group.created', 3006, 6, 'Create'],
    ['scim_group.updated', 3006, 99, 'updated'],
    ['device.enrolled', 3004, 6, 'Enroll'],
    ['device.revoked', 3004, 7, 'Unenroll'],
    ['incident.acknowledged', 2004, 2, 'Update'],
    ['incident.resolved', 2004, 3, 'Close'],
    ['policy.created', 6003, 1, 'Create'],
    ['policy.updated', 6003, 3, 'Update'],
    ['policy.deleted', 6003, 4, 'Delete'],
    ['organization.created', 6003, 1, 'Create'],
  ])('of %s has the class %d and the activity %d, and matches the schema', (action, uid, id, name) => {
    const event = auditEvent(SOURCE, rowOf(action));
    expect(event).toMatchObject({ class_uid: uid, activity_id: id, activity_name: name, severity_id: 1 });
    expect(ocsfFaults(event)).toEqual([]);
  });

  it('has the actor, the time, the address, the change, and the previous values', () => {
    const event = auditEvent(SOURCE, rowOf('policy.updated', { before: '{"name":"Models"}' }));
    expect(event).toMatchObject({
      time: Date.parse('2026-11-20T12:00:00.123Z'),
      metadata: {
        ...{ version: '1.8.0', uid: SOURCE.uid, tenant_uid: ORG, sequence: 7, event_code: 'policy.updated' },
        ...{ log_name: 'audit', correlation_uid: 'request-17', original_time: '2026-11-20T12:00:00.123000Z' },
      },
      actor: { user: { uid: USER, uid_alt: 'token-1', name: 'Ada', type_id: 1 } },
      src_endpoint: { ip: '203.0.113.7' },
      api: { operation: 'policy.updated', request: { uid: 'request-17' } },
      resources: [{ uid: 'r-1', type: 'policy', name: 'Large models' }],
      unmapped: { before: { name: 'Models' }, after: { name: 'Large models' }, hash: 'ab'.repeat(32) },
    });
    expect(event['metadata']).not.toHaveProperty('labels');
  });

  it('has the credential, its scopes and a service if a token belongs to no user', () => {
    expect(auditEvent(SOURCE, rowOf('token.revoked', { before: TOKEN, after: null }))).toMatchObject({
      user: { uid: 'r-1', name: 'gateway', type_id: 4 },
      privileges: ['decisions:write'],
      resources: [{ uid: 'r-1', type: 'token', name: 'gateway' }],
    });
  });

  it('matches the schema if the command line acted, without address and request', () => {
    const nowhere = { actor_kind: 'cli', actor_user_id: null, address: null, request_id: null };
    const event = auditEvent(SOURCE, rowOf('policy.updated', nowhere));
    expect(ocsfFaults(event)).toEqual([]);
    expect(event).toMatchObject({ actor: { user: { uid: 'token-1', type_id: 3 } } });
  });

  it('has the same uid and a label if it may be repeated', () => {
    const event = auditEvent({ ...SOURCE, mayBeRepeated: true }, rowOf('policy.updated'));
    expect(event).toMatchObject({ metadata: { uid: SOURCE.uid, labels: ['may_be_repeated'] } });
    expect(ocsfFaults(event)).toEqual([]);
  });
});

describe('an event of a security event', () => {
  const actor = { kind: 'token', id: 't-1', user_id: null };

  it.each(STREAMED_TYPES.flatMap(type => [null, actor].map(actor => [type, actor] as const)))(
    'matches the schema: %s of %j',
    (type, actor) => {
      expect(ocsfFaults(securityEvent(SOURCE, { ...SECURITY, type, actor }))).toEqual([]);
    },
  );

  it('has the address of a refused sign-in, and no organization if none is known', () => {
    const event = securityEvent({ ...SOURCE, orgId: null }, SECURITY);
    expect(event).toMatchObject({
      ...{ class_uid: 3002, activity_id: 1, status_id: 2, status_code: '401', severity_id: 2 },
      ...{ src_endpoint: { ip: '203.0.113.7' }, status_detail: 'The access token is unknown.' },
      user: { name: 'unknown', type_id: 0 },
    });
    expect(event['metadata']).not.toHaveProperty('tenant_uid');
  });

  it('has the method and route of a refused request', () => {
    const refused = { ...SECURITY, type: 'access_denied', route: 'DELETE /v1/tokens/:id', actor } as const;
    expect(securityEvent(SOURCE, refused)).toMatchObject({
      ...{ class_uid: 6003, activity_id: 4, status_id: 2, status_code: '403' },
      ...{ api: { operation: 'DELETE /v1/tokens/:id' }, actor: { user: { uid: 't-1', type_id: 4 } } },
    });
  });

  it('has the number of events that it represents, and their times', () => {
    const since = '2026-11-20T11:59:00.000Z';
    const event = securityEvent(SOURCE, { ...SECURITY, left_out: { count: 12, since } });
    expect(event).toMatchObject({ count: 12, start_time: Date.parse(since), end_time: Date.parse(SECURITY.at) });
    expect(ocsfFaults(event)).toEqual([]);
  });
});

describe('an event of a new incident', () => {
  it.each(['policy_violation', 'anomaly'] as const)('matches the schema: %s', type => {
    expect(ocsfFaults(incidentEvent(SOURCE, { ...INCIDENT, type }))).toEqual([]);
    const unknown = { user_id: null, user_email: null, policy_id: null, provider: null, model: null, details: {} };
    expect(ocsfFaults(incidentEvent(SOURCE, { ...INCIDENT, type, ...unknown }))).toEqual([]);
  });

  it('has the severity, the policy and the user', () => {
    expect(incidentEvent(SOURCE, INCIDENT)).toMatchObject({
      ...{ class_uid: 2004, activity_id: 1, severity_id: 4, status_id: 1, is_alert: true },
      finding_info: {
        uid: 'i-1',
        types: ['policy_violation'],
        analytic: { type_id: 1, uid: 'p-1', name: 'Large models' },
      },
      evidences: [{ user: { uid: USER, email_addr: 'ada@example.com' }, data: { model: 'gpt-4o', action: 'block' } }],
    });
  });
});

describe('the check against the schema', () => {
  const event = auditEvent(SOURCE, rowOf('policy.updated'));

  it.each([
    ['an attribute is missing', { api: undefined }, ['api: required']],
    ['an attribute is unknown', { colour: 'red' }, ['colour: unknown']],
    ['an attribute has another type', { message: 7 }, ['message: no string_t']],
    ['an enum has an unknown value', { severity_id: 7 }, ['severity_id: 7 is not a value of the enum']],
    ['type_uid does not follow from class and activity', { type_uid: 1 }, ['type_uid: 1']],
    ['an object has none of its alternative fields', { src_endpoint: {} }, ['src_endpoint.: none of ip']],
  ])('finds an error if %s', (_case, change, faults) => {
    const broken = JSON.parse(JSON.stringify({ ...event, ...change }));
    expect(ocsfFaults(broken)).toEqual(faults.map(fault => expect.stringContaining(fault)));
  });
});
