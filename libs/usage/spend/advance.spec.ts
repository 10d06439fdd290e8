import { describe, expect, it } from '@jest/globals';
import { Advance } from './advance.js';
import type { SpendAsk } from './reservation-plan.js';

const at = new Date('2026-11-20T13:00:00.000Z');

function askOf(decisionId: string, picodollars: bigint): SpendAsk {
  const subject = { userId: 'u', department: null, provider: 'acme', model: 'acme-1' };
  return { request: { decisionId, ...subject, inputTokens: 1, outputTokens: 1, at }, picodollars };
}

const advanceOf = (picodollars: bigint): Advance =>
  new Advance({ id: 'a', orgId: 'o', version: 1, picodollars, expiresAt: at, takenAt: 5_000 });

const idsOf = (asks: readonly SpendAsk[]): string[] => asks.map(({ request }) => request.decisionId);

describe('an advance', () => {
  it('gives exactly its amount', () => {
    const advance = advanceOf(100n);
    expect(advance.draw(askOf('one', 60n), 5_000)).toBe(true);
    expect(advance.draw(askOf('two', 41n), 5_000)).toBe(false);
    expect(advance.draw(askOf('three', 40n), 5_000)).toBe(true);
    expect(advance.draw(askOf('four', 1n), 5_000)).toBe(false);
    expect(idsOf(advance.drawnFor())).toEqual(['one', 'three']);
  });

  it('gives nothing once it is a second old or closed', () => {
    const advance = advanceOf(100n);
    expect(advance.draw(askOf('one', 1n), 5_999)).toBe(true);
    expect(advance.draw(askOf('two', 1n), 6_000)).toBe(false);
    advance.close();
    expect(advance.draw(askOf('three', 1n), 5_999)).toBe(false);
  });

  it('must be renewed when it is half used, half a second old or closed', () => {
    const advance = advanceOf(100n);
    expect(advance.isRunningOut(5_499)).toBe(false);
    expect(advance.isRunningOut(5_500)).toBe(true);
    advance.draw(askOf('one', 50n), 5_000);
    expect(advance.isRunningOut(5_000)).toBe(false);
    advance.draw(askOf('two', 1n), 5_000);
    expect(advance.isRunningOut(5_000)).toBe(true);
    const closed = advanceOf(100n);
    closed.close();
    expect(closed.isRunningOut(5_000)).toBe(true);
  });

  it('takes back a withdrawal once', () => {
    const advance = advanceOf(100n);
    advance.draw(askOf('one', 100n), 5_000);
    expect(advance.giveBack('one')).toBe(100n);
    expect(advance.giveBack('one')).toBe(0n);
    expect(advance.draw(askOf('two', 100n), 5_000)).toBe(true);
  });

  it('forgets the withdrawals that got their own rows, one write after the other', async () => {
    const advance = advanceOf(100n);
    for (const id of ['one', 'two', 'three']) advance.draw(askOf(id, 10n), 5_000);
    const written: string[][] = [];
    const gate = Promise.withResolvers<void>();
    const first = advance.move(
      () => advance.drawnFor(['one', 'two']),
      async asks => {
        await gate.promise;
        written.push(idsOf(asks));
      },
    );
    const second = advance.move(
      () => advance.drawnFor(),
      async asks => void written.push(idsOf(asks)),
    );
    await Promise.resolve();
    expect(advance.isMoving('one')).toBe(true);
    expect(advance.isMoving('three')).toBe(false);
    expect(() => advance.giveBack('one')).toThrow('being written');
    gate.resolve();
    await Promise.all([first, second]);
    expect(written).toEqual([['one', 'two'], ['three']]);
    expect(advance.drawnFor()).toEqual([]);
  });

  it('keeps the withdrawals that could not be written, and gives no more', async () => {
    const advance = advanceOf(100n);
    advance.draw(askOf('one', 10n), 5_000);
    const failing = advance.move(
      () => advance.drawnFor(),
      () => Promise.reject(new Error('away')),
    );
    await expect(failing).rejects.toThrow('away');
    await advance.idle();
    expect(advance.isMoving('one')).toBe(false);
    expect(idsOf(advance.drawnFor())).toEqual(['one']);
    expect(advance.giveBack('one')).toBe(10n);
    expect(advance.draw(askOf('two', 1n), 5_000)).toBe(false);
  });
});
