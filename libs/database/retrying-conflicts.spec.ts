import { describe, expect, it } from '@jest/globals';
import { retryingConflicts } from './retrying-conflicts.js';

const conflict = (code: string) => Object.assign(new Error('conflict'), { code });

describe('retryingConflicts', () => {
  it.each(['40P01', '40001'])('repeats a transaction that PostgreSQL ended with %s', async code => {
    let runs = 0;
    const result = await retryingConflicts(async () => {
      if (++runs < 3) throw new Error('wrapped', { cause: conflict(code) });
      return 'done';
    });
    expect([result, runs]).toEqual(['done', 3]);
  });

  it('gives up after five attempts', async () => {
    let runs = 0;
    const failing = retryingConflicts(() => {
      runs++;
      return Promise.reject(conflict('40P01'));
    });
    await expect(failing).rejects.toThrow('conflict');
    expect(runs).toBe(5);
  });

  it('never repeats after another error', async () => {
    let runs = 0;
    const failing = retryingConflicts(() => {
      runs++;
      return Promise.reject(conflict('23505'));
    });
    await expect(failing).rejects.toThrow('conflict');
    expect(runs).toBe(1);
  });
});
