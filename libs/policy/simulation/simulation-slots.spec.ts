import { describe, expect, it } from '@jest/globals';
import { RateLimitedError, UnavailableError } from '#core';
import { SIMULATIONS_MAX, SimulationSlots, SimulationUnderWayError } from './simulation-slots.js';

/** Work that ends only when its signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

const done = async (): Promise<string> => 'done';

describe('the slot for a simulation', () => {
  it('belongs to one simulation of an organization at a time', async () => {
    const slots = new SimulationSlots();
    const leave = new AbortController();
    const first = slots.run('one', leave.signal, untilAborted);
    await expect(slots.run('one', undefined, done)).rejects.toThrow(SimulationUnderWayError);
    leave.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(slots.run('one', undefined, done)).resolves.toBe('done');
  });

  it('is available to a few organizations at once; another one is refused if no slot becomes free in time', async () => {
    const slots = new SimulationSlots(10);
    const leave = new AbortController();
    const running = Array.from({ length: SIMULATIONS_MAX }, (_, at) => slots.run(`o${at}`, leave.signal, untilAborted));
    const refused = slots.run('another', undefined, done);
    await expect(refused).rejects.toThrow(RateLimitedError);
    leave.abort(new Error('gone'));
    await Promise.allSettled(running);
  });

  it('goes to organizations in the order of their requests', async () => {
    const slots = new SimulationSlots();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const simulate = (orgId: string) =>
      slots.run(orgId, undefined, () => {
        begun.push(orgId);
        return new Promise<void>(end => ends.push(end));
      });
    const all = ['a', 'b', 'c'].map(simulate);
    await expect(simulate('c')).rejects.toThrow(SimulationUnderWayError);
    expect(begun).toEqual(['a', 'b']);
    ends.shift()?.();
    await all[0];
    all.push(simulate('a'));
    while (begun.length < 3) await new Promise(done => setImmediate(done));
    ends.shift()?.();
    while (begun.length < 4) await new Promise(done => setImmediate(done));
    expect(begun).toEqual(['a', 'b', 'c', 'a']);
    for (const end of ends) end();
    await Promise.all(all);
    await expect(slots.run('d', undefined, done)).resolves.toBe('done');
  });

  it('is no longer waited for when the caller disconnects', async () => {
    const slots = new SimulationSlots();
    const end = new AbortController();
    const leave = new AbortController();
    const running = ['a', 'b'].map(orgId => slots.run(orgId, end.signal, untilAborted));
    const left = slots.run('c', leave.signal, done);
    leave.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    end.abort(new Error('ended'));
    await Promise.allSettled(running);
    expect(await Promise.all(['c', 'd', 'e'].map(orgId => slots.run(orgId, undefined, done)))).toEqual([
      'done',
      'done',
      'done',
    ]);
  });

  it('is taken from running simulations and refused to waiting ones when the process ends', async () => {
    const slots = new SimulationSlots();
    const all = ['one', 'three', 'four'].map(orgId => slots.run(orgId, undefined, untilAborted));
    slots.close();
    const outcomes = await Promise.allSettled(all);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
    }
    await expect(slots.run('two', undefined, done)).rejects.toThrow('stopping');
  });
});
