import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ORG, recordOf } from '../testing/records.js';
import { FolderSink } from './folder-sink.js';

const OTHER = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c61';

describe('FolderSink', () => {
  const { signal } = new AbortController();
  let folder: string;
  let clock: ManualClock;
  let sink: FolderSink;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'siem-'));
    clock = new ManualClock('2026-11-20T23:59:59.000Z');
    sink = new FolderSink({ name: 'folder', folder: join(folder, 'audit'), maxBytes: 2_000 }, clock);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const pathOf = (name: string, orgId = ORG) => join(folder, 'audit', orgId, name);
  const uidsIn = (name: string, orgId = ORG): string[] => {
    const text = readFileSync(pathOf(name, orgId), 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    return text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).metadata.uid);
  };

  it('appends an event per line to the file of the day, in a folder per organization', async () => {
    await sink.write([recordOf(1), recordOf(2)], signal);
    await sink.write([recordOf(1, 'Bob', OTHER)], signal);
    await sink.write([recordOf(1, 'Eve', null)], signal);
    clock.advance(1_000);
    await sink.write([recordOf(3)], signal);
    expect(uidsIn('2026-11-20.jsonl')).toEqual([recordOf(1).uid, recordOf(2).uid]);
    expect(uidsIn('2026-11-21.jsonl')).toEqual([recordOf(3).uid]);
    expect(uidsIn('2026-11-20.jsonl', OTHER)).toHaveLength(1);
    expect(uidsIn('2026-11-20.jsonl', 'installation')).toHaveLength(1);
  });

  it('makes the files unreadable for other users', async () => {
    await sink.write([recordOf(1)], signal);
    expect(statSync(pathOf('2026-11-20.jsonl')).mode & 0o007).toBe(0);
    expect(statSync(pathOf('')).mode & 0o007).toBe(0);
  });

  it('begins another file of the day if one is full, and does not change the full file', async () => {
    for (let seq = 1; seq <= 9; seq++) await sink.write([recordOf(seq)], signal);
    const names = readdirSync(pathOf('')).toSorted();
    expect(names).toEqual(expect.arrayContaining(['2026-11-20.1.jsonl', '2026-11-20.2.jsonl', '2026-11-20.jsonl']));
    const inOrder = ['2026-11-20.jsonl', '2026-11-20.1.jsonl', '2026-11-20.2.jsonl'].flatMap(name => uidsIn(name));
    expect(inOrder).toEqual(Array.from({ length: inOrder.length }, (_, at) => recordOf(at + 1).uid));
  });

  it.each([
    ['a part of a line', 100],
    ['a part that is longer than one read', 200_000],
  ])('truncates %s after a crash, and keeps the lines before', async (_what, length) => {
    await sink.write([recordOf(1)], signal);
    appendFileSync(pathOf('2026-11-20.jsonl'), `{"half":"${'x'.repeat(length)}`);
    sink = new FolderSink({ name: 'folder', folder: join(folder, 'audit') }, clock);
    await sink.write([recordOf(2)], signal);
    expect(uidsIn('2026-11-20.jsonl')).toEqual([recordOf(1).uid, recordOf(2).uid]);
  });

  it('empties a file without a complete line after a crash', async () => {
    await sink.write([recordOf(1)], signal);
    writeFileSync(pathOf('2026-11-20.jsonl'), '{"half":');
    await sink.write([recordOf(2)], signal);
    expect(uidsIn('2026-11-20.jsonl')).toEqual([recordOf(2).uid]);
  });

  it('writes nothing after its deadline', async () => {
    await expect(sink.write([recordOf(1)], AbortSignal.abort())).rejects.toThrow('aborted');
    expect(readFileSync(pathOf('2026-11-20.jsonl'), 'utf8')).toBe('');
  });

  it('rejects if the folder cannot be created', async () => {
    writeFileSync(join(folder, 'audit'), 'a file');
    await expect(sink.write([recordOf(1)], signal)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});
