import { describe, expect, it } from '@jest/globals';
import { Clock } from '#core';
import { responseOf, type PlatformAnswer } from 'nest-llm-governance/testing';
import { AdapterHttpError } from './adapter-http.js';
import { attemptCreate } from './attempt-create.js';
import type { AdapterContext, ItsmAdapter } from './itsm-adapter.port.js';
import { jsonOf, outcomeOfRefusal, PlatformAnswerError, retryAfterMs } from './platform-answer.js';

class Stopped extends Clock {
  now(): Date {
    return new Date('2026-11-20T10:00:00Z');
  }
}
const clock = new Stopped();
const PAGE = '<html></html>';

describe('outcomeOfRefusal', () => {
  it.each<[PlatformAnswer, object]>([
    [
      { status: 200, text: PAGE },
      { kind: 'rejected', code: 'hibernating' },
    ],
    [{ status: 200, text: ' \n<x/>', headers: { 'content-type': 'application/json' } }, { code: 'hibernating' }],
    [{ status: 200, json: {} }, { kind: 'uncertain' }],
    [{ status: 201, text: PAGE }, { kind: 'uncertain' }],
    [{ status: 204 }, { kind: 'uncertain' }],
    [{ status: 302 }, { kind: 'rejected', code: 'auth' }],
    [{ status: 400 }, { kind: 'rejected', code: 'config' }],
    [{ status: 401 }, { kind: 'rejected', code: 'auth' }],
    [{ status: 403 }, { kind: 'rejected', code: 'forbidden' }],
    [{ status: 404 }, { kind: 'rejected', code: 'config' }],
    [{ status: 429 }, { kind: 'retryable' }],
    [{ status: 500 }, { kind: 'uncertain' }],
    [{ status: 504, text: PAGE }, { kind: 'uncertain' }],
  ])('turns %j into %j', (answer, outcome) => {
    expect(outcomeOfRefusal(responseOf(answer), clock)).toMatchObject(outcome);
  });

  it("quotes the platform's message on one line, truncated", () => {
    const outcome = outcomeOfRefusal(responseOf({ status: 400 }), clock, `No\nsuch thing. ${'x'.repeat(2_000)}`);
    expect(outcome.kind).toBe('rejected');
    const { message } = outcome as { message: string };
    expect(message).toMatch(/^The platform rejected the request \(400\)\. It says: No such thing\. x+…$/);
    expect(message.length).toBeLessThan(600);
  });
});

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Fri, 20 Nov 2026 10:01:30 GMT', 90_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    ['2027', 2_027_000],
    ['tomorrow', undefined],
    ['99999999999', undefined],
  ])('reads %p as %p', (header, wait) => {
    expect(retryAfterMs(responseOf({ status: 429, headers: { 'retry-after': header } }), clock)).toBe(wait);
  });
});

describe('jsonOf', () => {
  it('returns the JSON of a successful answer, and nothing for other answers', () => {
    expect(jsonOf(responseOf({ status: 200, json: [] }))).toEqual([]);
    for (const answer of [{ status: 404, json: [] }, { status: 302 }, { status: 200, text: PAGE }, { status: 200 }]) {
      expect(() => jsonOf(responseOf(answer))).toThrow(PlatformAnswerError);
    }
  });
});

describe('attemptCreate', () => {
  const failing = (thrown: Error) =>
    attemptCreate(
      // The test uses only this method of the adapter.
      { create: () => Promise.reject(thrown) } as unknown as ItsmAdapter,
      {} as AdapterContext<object, object>,
      { title: '', description: '', labels: [], body: {} },
      'k',
    );

  it('treats a request that was not sent as retryable, and any other error as an unknown outcome', async () => {
    expect(await failing(new AdapterHttpError('not_sent', 'No.'))).toEqual({ kind: 'retryable', message: 'No.' });
    expect(await failing(new AdapterHttpError('sent', 'Cut.'))).toEqual({ kind: 'uncertain', message: 'Cut.' });
  });

  it('does not quote the message of a programming error', async () => {
    const outcome = await failing(new TypeError('Bearer hunter2 is no function'));
    expect(outcome).toMatchObject({ kind: 'uncertain', message: expect.not.stringContaining('hunter2') });
  });
});
