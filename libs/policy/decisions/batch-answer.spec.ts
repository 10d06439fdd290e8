import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { StreamableFile } from '@nestjs/common';
import { batchAnswer } from './batch-answer.js';
import type { Decision } from '../records/decision.js';

function decision(policies: number): Decision {
  const matched = { id: 'p', name: 'ä', action: 'allow', version: 1, matched_conditions: [] } as const;
  return {
    id: String(policies),
    action: 'allow',
    allowed: true,
    reason: 'policy',
    policies: Array.from({ length: policies }, () => matched),
    evaluated_at: '2026-11-20T12:00:00.000Z',
  };
}

describe('the answer to a batch', () => {
  it('is one text if it is small', () => {
    const decisions = [decision(1), decision(3_800)];
    expect(batchAnswer(decisions)).toEqual({ decisions });
  });

  it('is sent in chunks with the same content if it is large', async () => {
    const decisions = [decision(0), decision(3_000), decision(3_000)];
    const answer = batchAnswer(decisions);
    if (!(answer instanceof StreamableFile)) throw new Error('it should be in pieces');
    expect(answer.getHeaders().type).toBe('application/json; charset=utf-8');
    expect(JSON.parse(await text(answer.getStream()))).toEqual({ decisions });
  });
});
