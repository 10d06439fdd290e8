import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StreamGroup } from '#access';
import { Incident } from '../incident/incident.entity.js';
import { IncidentStream } from './incident-stream.js';
import { IncidentChanges } from './incident-changes.js';

/** Incidents of some thousand characters each, one per version. */
function incident(changeVersion: number): Incident {
  return Object.assign(new Incident(), { changeVersion, userId: 'u' });
}

const CHANGES = 400;
const show = (of: Incident) => ({ version: of.changeVersion, text: 'x'.repeat(1_000) });

let streams: StreamGroup<IncidentStream>;
let reads: number[];

function openStream(): IncidentStream {
  const stream = new IncidentStream(show, { reader: 'r' }, () => streams.wake());
  streams.add(stream);
  stream.begin(0);
  streams.wake();
  return stream;
}

/** Reads the stream without delay. Returns everything that has been read so far. */
function readAll(stream: IncidentStream): { text: string } {
  const taken = { text: '' };
  stream.setEncoding('utf8').on('data', (text: string) => (taken.text += text));
  return taken;
}

beforeEach(() => {
  jest.useFakeTimers();
  reads = [];
  const source = new IncidentChanges(async after => {
    reads.push(after);
    return Array.from({ length: Math.max(0, Math.min(100, CHANGES - after)) }, (_, at) => incident(after + at + 1));
  });
  streams = new StreamGroup(source);
});

afterEach(() => {
  jest.useRealTimers();
});

describe('a stream of incidents', () => {
  it('is read only as fast as its reader reads, and completely in the end', async () => {
    const stream = openStream();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(stream.position).toBeLessThanOrEqual(100);
    expect(stream.isReady).toBe(false);
    const taken = readAll(stream);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(stream.position).toBe(CHANGES);
    expect(taken.text.match(/^event: incident$/gm)).toHaveLength(CHANGES);
    stream.destroy();
  });

  it('does not delay others if its reader is blocked', async () => {
    const stalled = openStream();
    const other = openStream();
    readAll(other);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(other.position).toBe(CHANGES);
    for (const stream of [stalled, other]) stream.destroy();
  });

  it('sends a comment every fifteen seconds', async () => {
    const stream = openStream();
    const taken = readAll(stream);
    await jest.advanceTimersByTimeAsync(61_000);
    expect(taken.text.match(/^: still here$/gm)).toHaveLength(4);
    stream.destroy();
  });

  it('ends after five minutes, not before', async () => {
    const stream = openStream();
    readAll(stream);
    const ended = jest.fn();
    stream.once('end', ended);
    await jest.advanceTimersByTimeAsync(299_000);
    expect(ended).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(17_000);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(streams.size).toBe(0);
  });

  it('frees its slot soon after its end, also if its reader is blocked', async () => {
    const stream = openStream();
    await jest.advanceTimersByTimeAsync(1_000);
    stream.end();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(streams.size).toBe(1);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(streams.size).toBe(0);
    expect(stream.destroyed).toBe(true);
  });

  it('ends after five minutes, also if its reader is blocked', async () => {
    openStream();
    await jest.advanceTimersByTimeAsync(320_000);
    expect(streams.size).toBe(0);
  });

  it('lets a slow reader read everything that was sent before its end', async () => {
    const stream = openStream();
    await jest.advanceTimersByTimeAsync(100);
    stream.end();
    await jest.advanceTimersByTimeAsync(1_000);
    const taken = readAll(stream);
    const ended = jest.fn();
    stream.once('end', ended);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(taken.text.endsWith('\n\n')).toBe(true);
  });
});
