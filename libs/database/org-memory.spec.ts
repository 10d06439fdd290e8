import { describe, expect, it } from '@jest/globals';
import type { ChangeHandler } from './change-feed.js';
import { OrgMemory } from './org-memory.js';

/** A cache whose loads end when the test decides. */
function memory() {
  const handlers = new Map<string, ChangeHandler>();
  const resetHandlers: ((orgId: string) => void)[] = [];
  const readings: { orgId: string; succeed: (state: string) => void; fail: () => void }[] = [];
  const order: string[] = [];
  const had: (string | undefined)[] = [];
  const changes = {
    subscribe: (topic: string, handler: ChangeHandler) => void handlers.set(topic, handler),
    watch: async (orgId: string) => void order.push(`watch ${orgId}`),
    onReset: (handler: (orgId: string) => void) => void resetHandlers.push(handler),
  };
  const read = (orgId: string, held: string | undefined) => {
    order.push(`read ${orgId}`);
    had.push(held);
    return new Promise<string>((resolve, reject) => {
      readings.push({ orgId, succeed: resolve, fail: () => reject(new Error('no database')) });
    });
  };
  const state = new OrgMemory(changes, ['first', 'second'], read);
  const changed = (topic: string, orgId = 'acme') => Promise.resolve(handlers.get(topic)?.(orgId, 1));
  const deleted = (orgId = 'acme'): void => resetHandlers.forEach(handler => handler(orgId));
  return { state, readings, order, had, changed, deleted };
}

const turn = () => new Promise(setImmediate);

describe('the cached data of an organization', () => {
  it('is watched before it is read, once for all concurrent callers', async () => {
    const { state, readings, order } = memory();
    const asked = Promise.all([state.of('acme'), state.of('acme')]);
    await turn();
    expect(order).toEqual(['watch acme', 'read acme']);
    readings[0]?.succeed('old');
    expect(await asked).toEqual(['old', 'old']);
    expect([state.peek('acme'), await state.of('acme'), state.peek('other')]).toEqual(['old', 'old', undefined]);
    expect(readings.length).toBe(1);
  });

  it('is not read for a change if nobody has requested the organization', async () => {
    const { readings, changed } = memory();
    await changed('first');
    expect(readings).toEqual([]);
  });

  it('is dropped when the organization is deleted, and does not return from a read that began before', async () => {
    const { state, readings, had, deleted } = memory();
    const asked = state.of('acme');
    await turn();
    readings[0]?.succeed('first life');
    await asked;
    deleted();
    expect(state.peek('acme')).toBeUndefined();
    const again = state.of('acme');
    await turn();
    deleted();
    readings[1]?.succeed('still the first life');
    await turn();
    expect(state.peek('acme')).toBeUndefined();
    readings[2]?.succeed('second life');
    expect([await again, state.peek('acme')]).toEqual(['second life', 'second life']);
    expect(had).toEqual([undefined, undefined, undefined]);
  });

  it.each(['first', 'second'])('is read again when the topic %s changes', async topic => {
    const { state, readings, changed } = memory();
    const asked = state.of('acme');
    await turn();
    readings[0]?.succeed('old');
    await asked;
    const change = changed(topic);
    await turn();
    expect(state.peek('acme')).toBe('old');
    readings[1]?.succeed('new');
    await change;
    expect(state.peek('acme')).toBe('new');
  });

  it('is passed to the next read as the previous data, undefined at the first read', async () => {
    const { state, readings, had, changed } = memory();
    const asked = state.of('acme');
    await turn();
    readings[0]?.succeed('old');
    await asked;
    const change = changed('first');
    await turn();
    readings[1]?.succeed('new');
    await change;
    expect(had).toEqual([undefined, 'old']);
  });

  it('is read once more for all changes during a read, never two at a time', async () => {
    const { state, readings, changed } = memory();
    const asked = state.of('acme');
    await turn();
    const changes = Promise.all([changed('first'), changed('second'), state.refresh('acme')]);
    await turn();
    expect(readings.length).toBe(1);
    readings[0]?.succeed('before the change');
    await asked;
    await turn();
    expect(readings.length).toBe(2);
    readings[1]?.succeed('after it');
    await changes;
    expect([state.peek('acme'), readings.length]).toEqual(['after it', 2]);
  });

  it('reports a failed read, keeps the old data, and reads again on the next request', async () => {
    const { state, readings, changed } = memory();
    const asked = state.of('acme');
    await turn();
    readings[0]?.fail();
    await expect(asked).rejects.toThrow('no database');
    const again = state.of('acme');
    await turn();
    readings[1]?.succeed('old');
    await again;
    const change = changed('first');
    await turn();
    readings[2]?.fail();
    await expect(change).rejects.toThrow('no database');
    expect(state.peek('acme')).toBe('old');
  });

  it('waits for a failing read to end, and then reads again for the change', async () => {
    const { state, readings, changed } = memory();
    const asked = state.of('acme').catch(() => 'failed');
    await turn();
    const change = changed('first');
    readings[0]?.fail();
    expect(await asked).toBe('failed');
    await turn();
    readings[1]?.succeed('new');
    await change;
    expect(state.peek('acme')).toBe('new');
  });

  it('is separate for each organization', async () => {
    const { state, readings } = memory();
    const asked = Promise.all([state.of('acme'), state.of('umbrella')]);
    await turn();
    for (const { orgId, succeed } of readings) succeed(`state of ${orgId}`);
    expect(await asked).toEqual(['state of acme', 'state of umbrella']);
  });
});
