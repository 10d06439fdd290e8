import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairTurns } from './fair-turns.js';

let now = 1_000;

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('fair turns', () => {
  it('run work at once while the time slice lasts', async () => {
    const turns = new FairTurns();
    let ran = 0;
    for (let piece = 0; piece < 100; piece++) void turns.take('one', () => ran++);
    expect(ran).toBe(100);
  });

  it('yield to the event loop after each slice of 10 ms', async () => {
    const turns = new FairTurns();
    const log: string[] = [];
    const work = (name: string) => () => void (log.push(name), (now += 4));
    const pieces = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(async name => turns.take('one', work(name)));
    await pieces[2];
    expect(log.join('')).toBe('abc');
    await pieces[3];
    expect(log.join('')).toBe('abcdef');
    await Promise.all(pieces);
    expect(log.join('')).toBe('abcdefg');
  });

  it('let another organization run between the chunks of one', async () => {
    const turns = new FairTurns();
    const log: string[] = [];
    const work = (name: string) => () => void (log.push(name), (now += 11));
    const many = Array.from({ length: 5 }, async () => turns.take('busy', work('busy')));
    await turns.take('other', work('other'));
    await Promise.all(many);
    expect(log.indexOf('other')).toBeLessThanOrEqual(2);
  });

  it('report an error of the work, whether it ran at once or later, and continue', async () => {
    const turns = new FairTurns();
    const fail = (): never => {
      now += 11;
      throw new Error('bad');
    };
    expect(() => turns.take('one', fail)).toThrow('bad');
    await expect(turns.take('one', fail)).rejects.toThrow('bad');
    await expect(turns.take('one', () => Promise.resolve(7))).resolves.toBe(7);
  });
});
