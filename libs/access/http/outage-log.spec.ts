import { describe, expect, it } from '@jest/globals';
import { OutageLog } from './outage-log.js';

describe('the log of an outage', () => {
  it('has one line at the start and one per minute, however many requests are refused', () => {
    const log = new OutageLog();
    const lines: string[] = [];
    // Thirty requests per second for 48 seconds, followed by more requests.
    for (let at = 0; at < 70_000; at += 33) {
      const line = log.note('connect ECONNREFUSED', `r${at}`, at);
      if (line !== undefined) lines.push(line);
    }
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('r0 the database cannot be reached, or took too long: connect ECONNREFUSED');
    expect(lines[1]).toMatch(/\(\d{4} more requests were refused since the last such line\)$/);
  });

  it('starts again after half a minute without refusals', () => {
    const log = new OutageLog();
    expect(log.note('gone', 'one', 0)).toBeDefined();
    expect(log.note('gone', 'two', 10_000)).toBeUndefined();
    expect(log.note('gone', 'three', 40_001)).toMatch(/^three .*\(1 more requests were refused/);
  });
});
