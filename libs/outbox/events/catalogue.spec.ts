import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { EVENT_CATALOGUE, EVENT_TYPES, isEventType, NAMED_EVENT_TYPES, parseWireEventId, PING } from './index.js';

const ajv = new Ajv2020({ strict: true, strictRequired: true, allowUnionTypes: true, allErrors: true });
addFormats.default(ajv);

/** The same schema, except that no object may have undeclared fields. */
function closed<T>(schema: T): T {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, closed(part)] as const);
  const extra = 'properties' in schema ? { additionalProperties: false } : {};
  // A copy of the schema with one more key.
  return { ...Object.fromEntries(parts), ...extra } as T;
}

function faults(schema: object, data: unknown): unknown[] {
  const validate = ajv.compile(schema);
  return validate(data) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** All fields of a schema, including nested ones. */
function fieldsOf(schema: object): { description?: string }[] {
  const fields = 'properties' in schema ? Object.values(schema.properties as Record<string, object>) : [];
  return [...fields, ...fields.flatMap(fieldsOf)];
}

const entries = EVENT_CATALOGUE.map(entry => [entry.type, entry] as const);

describe('the event catalog', () => {
  it('has the types of all webhooks, those that must be subscribed explicitly, and the ping', () => {
    expect(EVENT_CATALOGUE.map(({ type }) => type)).toEqual([...EVENT_TYPES, ...NAMED_EVENT_TYPES, PING]);
  });

  it('allows no subscription to a ping', () => {
    expect(EVENT_CATALOGUE.map(({ type }) => type).filter(type => !isEventType(type))).toEqual([PING]);
    expect([isEventType('toString'), isEventType(undefined)]).toEqual([false, false]);
  });

  it('has examples whose ids begin with evt_, and evt_test_ for pings', () => {
    for (const { type, example } of EVENT_CATALOGUE) {
      expect(example.type).toBe(type);
      expect(parseWireEventId(example.id)?.isTest).toBe(type === PING);
    }
  });

  describe.each(entries)('of %s', (type, { schema, description, example }) => {
    it('has an example that matches its schema and has no other field', () => {
      expect(faults(closed(schema), example.data)).toEqual([]);
    });

    it('lets later versions add fields', () => {
      const grown = { ...example.data, of_a_later_version: 1 };
      expect(faults(schema, grown)).toEqual([]);
      expect(faults(closed(schema), grown)).toEqual([' must NOT have additional properties']);
    });

    it('has a schema that requires every field that is always present', () => {
      for (const name of schema.required) {
        const { [name]: _left, ...rest } = example.data as Record<string, unknown>;
        expect(faults(schema, rest)).toEqual([` must have required property '${name}'`]);
      }
    });

    it('describes when it is sent and every field', () => {
      expect(schema.title).toBe(type);
      for (const text of [description, schema.description, ...fieldsOf(schema).map(field => field.description)]) {
        expect(text).toMatch(/^[A-Z].+\.$/s);
      }
    });
  });

  it.each([
    ['policy_violation', { severity: 'urgent' }],
    ['policy_violation', { user_id: null }],
    ['policy_violation', { alert_id: '7' }],
    ['budget_warning', { scope: 'team' }],
    ['budget_exceeded', { window: { start: '2026-11-01T00:00:00Z' } }],
    ['budget_exceeded', { amount_usd: '500' }],
    ['user_locked_out', { locked_out_at: 'today' }],
    ['anomaly_detected', { user_id: 7 }],
    ['device_enrolled', { fingerprint_sha256: 'AB:CD' }],
    ['audit_anchor', { hash: 'AB' }],
    ['audit_anchor', { seq: 0 }],
  ] as const)('of %s refuses %j', (type, change) => {
    const { schema, example } = EVENT_CATALOGUE.find(entry => entry.type === type)!;
    expect(faults(schema, { ...example.data, ...change })).toHaveLength(1);
  });

  it('accepts an anomaly without a user, and a budget of the whole organization', () => {
    const [anomaly, budget] = (['anomaly_detected', 'budget_warning'] as const).map(type =>
      EVENT_CATALOGUE.find(entry => entry.type === type)!,
    );
    expect(faults(anomaly!.schema, { ...anomaly!.example.data, user_id: null })).toEqual([]);
    const { department: _none, ...data } = budget!.example.data as Record<string, unknown>;
    expect(faults(closed(budget!.schema), { ...data, scope: 'organization' })).toEqual([]);
  });
});
