import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#core';
import * as fc from 'fast-check';
import { splitCloudEventsBatch, splitJsonBatch, splitNdjsonBatch } from './batch.js';

const many = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `e${n}` }));

describe('a JSON batch', () => {
  it('keeps every event at its index', () => {
    expect(splitJsonBatch({ events: [{ id: 'a' }, 7] })).toEqual([
      { index: 0, raw: { id: 'a' } },
      { index: 1, raw: 7 },
    ]);
  });

  it('contains 1 to 1,000 events', () => {
    expect(splitJsonBatch({ events: many(1_000) })).toHaveLength(1_000);
    expect(() => splitJsonBatch({ events: [] })).toThrow(/events.*empty/);
    expect(() => splitJsonBatch({ events: many(1_001) })).toThrow(/at most 1,000/);
  });

  it.each([null, [], 'x', {}, { events: {} }, { events: [{}], dry_run: true }])(
    'is a bad request if it is %j',
    body => {
      expect(() => splitJsonBatch(body)).toThrow(BadRequestError);
    },
  );

  it('throws only bad requests, whatever the body', () => {
    const attempt = (split: (body: never) => unknown, body: unknown) => {
      try {
        split(body as never);
      } catch (error) {
        expect(error).toBeInstanceOf(BadRequestError);
      }
    };
    fc.assert(
      fc.property(fc.anything(), fc.string(), (body, text) => {
        attempt(splitJsonBatch, body);
        attempt(splitJsonBatch, { events: body });
        attempt(splitCloudEventsBatch, body);
        attempt(splitCloudEventsBatch, [body]);
        attempt(splitNdjsonBatch, text);
      }),
    );
  });
});

describe('an NDJSON batch', () => {
  it('ignores blank lines and refuses an invalid line at its index', () => {
    expect(splitNdjsonBatch('\uFEFF\n{"id":"a"}\r\n\n  \n{"id":\n{"id":"b"}\n')).toEqual([
      { index: 0, raw: { id: 'a' } },
      { index: 1, refusal: { id: null, field: 'event', message: 'line 5 is not valid JSON' } },
      { index: 2, raw: { id: 'b' } },
    ]);
  });

  it.each([
    ['{"id":"a","id":"b"}', /key "id" twice/],
    ['{"__proto__":{}}', /__proto__/],
    [`${'['.repeat(40)}${']'.repeat(40)}`, /too deep/],
  ])('refuses the line %s', (line, message) => {
    expect(splitNdjsonBatch(line)).toEqual([
      { index: 0, refusal: { id: null, field: 'event', message: expect.stringMatching(message) } },
    ]);
  });

  it('needs at least one event', () => expect(() => splitNdjsonBatch('\n \n')).toThrow(BadRequestError));
});

describe('a CloudEvents batch', () => {
  const envelope = {
    specversion: '1.0',
    id: 'ce-1',
    source: '/gateway',
    type: 'com.example.llm.usage',
    time: '2026-11-20T12:00:00Z',
    subject: 'ada@example.com',
    traceparent: 'ignored',
    data: { provider: 'openai', model: 'gpt-5', input_tokens: 1, output_tokens: 2 },
  };

  it('fills id, time and user from the envelope', () => {
    expect(splitCloudEventsBatch([envelope])).toEqual([
      { index: 0, raw: { ...envelope.data, id: 'ce-1', occurred_at: envelope.time, user_email: 'ada@example.com' } },
    ]);
    const subject = '0190b5a0-0000-7000-8000-00000000000a';
    expect(splitCloudEventsBatch([{ ...envelope, subject }])[0]).toMatchObject({ raw: { user_id: subject } });
  });

  it('prefers data to the envelope', () => {
    const data = { ...envelope.data, id: 'own', occurred_at: '2026-11-20T11:00:00Z', user_email: 'bob@example.com' };
    expect(splitCloudEventsBatch([{ ...envelope, data, subject: 'anything' }])).toEqual([{ index: 0, raw: data }]);
  });

  it.each([
    ['id', { id: '' }],
    ['specversion', { specversion: '0.3' }],
    ['source', { source: undefined }],
    ['type', { type: 1 }],
    ['data', { data: 'text' }],
    ['data', { data: undefined }],
    ['data_base64', { data_base64: 'e30=' }],
    ['subject', { subject: 'orders/17' }],
  ])('refuses an envelope at its index, and names %s', (field, change) => {
    expect(splitCloudEventsBatch([envelope, { ...envelope, ...change }])[1]).toMatchObject({
      index: 1,
      refusal: { field },
    });
  });

  it('refuses an entry that is not an envelope at its index', () => {
    expect(splitCloudEventsBatch([7])).toEqual([
      { index: 0, refusal: { id: null, field: 'event', message: 'must be a CloudEvent object' } },
    ]);
  });
});
