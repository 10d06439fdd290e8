import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { SystemClock } from '#core';
import type { AuditRecord, AuditSink } from '#siem';
import { FolderSink } from '../../libs/siem/sinks/folder-sink.js';
import { auditSinkContract, type AuditSinkGround } from '../../libs/testing/index.js';
import { holds } from '../support/contracts.js';

const folder = mkdtempSync(join(tmpdir(), 'audit-sink-'));
let made = 0;

afterAll(() => rmSync(folder, { recursive: true }));

/** A separate folder for each case. */
function inFolder(): AuditSinkGround {
  const root = join(folder, String(++made));
  const arrived = (): string[] =>
    (existsSync(root) ? readdirSync(root) : [])
      .flatMap(orgId => readdirSync(join(root, orgId)).map(name => readFileSync(join(root, orgId, name), 'utf8')))
      .flatMap(text => text.split('\n').filter(line => line !== ''))
      .map(line => JSON.parse(line).metadata.uid);
  const cutOff = (): void => writeFileSync(root, 'a file in its place');
  return { sink: new FolderSink({ name: 'folder', folder: root }, new SystemClock()), arrived, cutOff };
}

/** A sink that stores records correctly, except for one fault. */
function inMemory(fault: { name?: string; write?: (kept: AuditRecord[]) => AuditSink['write'] } = {}) {
  return (): AuditSinkGround => {
    const kept: AuditRecord[] = [];
    let isAway = false;
    const store: AuditSink['write'] = async (records, signal) => {
      signal.throwIfAborted();
      if (isAway) throw new Error('away');
      kept.push(...records);
    };
    const sink = { name: fault.name ?? 'memory', write: fault.write?.(kept) ?? store };
    return { sink, arrived: () => kept.map(({ uid }) => uid), cutOff: () => void (isAway = true) };
  };
}

const withFault = (change: (kept: AuditRecord[], records: readonly AuditRecord[]) => void | Promise<void>) =>
  inMemory({
    write: kept => async (records, signal) => {
      signal.throwIfAborted();
      await change(kept, records);
    },
  });

holds<() => AuditSinkGround>('AuditSink', {
  cases: make => auditSinkContract(() => make()),
  kept: { 'a folder': () => inFolder, 'a list of records': () => inMemory() },
  broken: {
    'has a name with spaces': () => inMemory({ name: 'My sink' }),
    'stores later': () => withFault((kept, records) => void setTimeout(() => kept.push(...records), 5)),
    'takes 100 records': () => withFault((kept, records) => void kept.push(...records.slice(0, 100))),
    'knows one organization': () =>
      withFault((kept, records) => void kept.push(...records.filter(({ orgId }) => orgId?.endsWith('0')))),
    'drops long texts': () =>
      withFault(
        (kept, records) => void kept.push(...records.filter(({ event }) => JSON.stringify(event).length < 1_000)),
      ),
    'drops what may be repeated with its batch': () =>
      withFault((kept, records) => void (records[0]?.mayBeRepeated !== true && kept.push(...records))),
    'changes events': () =>
      withFault((kept, records) => {
        for (const { event } of records) event['seen'] = true;
        kept.push(...records);
      }),
    'ignores signal and outage': () => inMemory({ write: kept => async records => void kept.push(...records) }),
  },
});
