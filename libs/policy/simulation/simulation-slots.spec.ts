import { describe, expect, it } from '@jest/globals';
import { RateLimitedError, UnavailableError } from '#core';
import { SIMULATIONS_MAX, SimulationSlots, SimulationUnderWayError } from './simulation-slots.js';

/** Work that goes on until its signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

const done = async (): Promise<string> => 'done';

describe('the right to simulate', () => {
  it('belongs to one simulation of an organization at a time', async () => {
    const slots = new SimulationSlots();
    const leave = new AbortController();
    const first = slots.run('one', leave.signal, untilAborted);
    await expect(slots.run('one', undefined, done)).rejects.toThrow(SimulationUnderWayError);
    leave.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(slots.run('one', undefined, done)).resolves.toBe('done');
  });

  it('is for a few organizations at once', async () => {
    const slots = new SimulationSlots();
    const leave = new AbortController();
    const running = Array.from({ length: SIMULATIONS_MAX }, (_, at) => slots.run(`o${at}`, leave.signal, untilAborted));
    const refused = slots.run('another', undefined, done);
    await expect(refused).rejects.toThrow(RateLimitedError);
    leave.abort(new Error('gone'));
    await Promise.allSettled(running);
  });

  it('ends with the process', async () => {
    const slots = new SimulationSlots();
    const running = slots.run('one', undefined, untilAborted);
    slots.close();
    await expect(running).rejects.toThrow(UnavailableError);
    await expect(slots.run('two', undefined, done)).rejects.toThrow('stopping');
  });
});
