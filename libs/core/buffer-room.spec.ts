import { beforeEach, describe, expect, it } from '@jest/globals';
import { BufferRoom } from './buffer-room.js';

let room: BufferRoom;

beforeEach(() => {
  room = new BufferRoom(120, 5);
});

/** Reserves places one by one until the buffer is full. Returns how many it reserved. */
function fill(orgId: string): number {
  let taken = 0;
  for (; room.isFree(orgId); taken++) room.take(orgId, 1);
  return taken;
}

describe('the capacity of a record buffer', () => {
  it('is half for one organization, and the rest is shared by later ones', () => {
    expect(fill('a')).toBe(60);
    expect(fill('b')).toBe(30);
    expect(fill('c')).toBe(15);
  });

  it('becomes equal for all organizations over time, in any order of arrival', () => {
    const held = { a: fill('a'), b: 0 };
    for (let round = 0; round < 200; round++) {
      for (const orgId of ['a', 'b'] as const) {
        held[orgId] += fill(orgId) - 1;
        room.give(orgId, 1);
      }
    }
    expect(Math.abs(held.a - held.b)).toBeLessThanOrEqual(2);
    expect(held.a + held.b).toBeGreaterThan(76);
    expect(room.isFree('c')).toBe(true);
  });

  it('is available in a small amount for each organization, even if another one took far too much at once', () => {
    room.take('a', 1_000);
    expect(fill('b')).toBe(5);
    expect(room.isFree('a')).toBe(false);
  });

  it('notifies waiting callers once, if there is capacity for them', () => {
    const told: string[] = [];
    room.take('a', 1_000);
    room.take('b', 50);
    room.wait('a', () => told.push('a'));
    room.wait('b', () => told.push('b'));
    room.wait('b', () => told.push('b left'))();
    room.give('a', 1);
    expect(told).toEqual([]);
    room.give('b', 46);
    expect(told).toEqual(['b']);
    room.give('a', 999);
    expect(told).toEqual(['b', 'a']);
    room.give('b', 4);
    expect(told).toEqual(['b', 'a']);
  });
});
