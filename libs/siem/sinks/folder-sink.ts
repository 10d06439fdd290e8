import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#core';
import { AuditSink, type AuditRecord } from './audit-sink.port.js';

/** Options of the folder sink. */
export interface FolderOptions {
  readonly name: string;
  readonly folder: string;
  /** Maximum size of a file. After it is reached, another file of the same day is created. Default: 256 MiB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 256 * 1_024 * 1_024;
const NEWLINE = 0x0a;
const CHUNK = 65_536;

/** Name of the folder for records without an organization. */
const INSTALLATION = 'installation';

/**
 * Appends records to JSON Lines files: `<folder>/<organization>/2026-11-20.jsonl`, by the UTC day of writing, then
 * `2026-11-20.1.jsonl` and so on. Files are never renamed. A batch is accepted once it is on the disk. If a crash has
 * truncated the last line, it is removed before the next batch, and its record is sent again.
 */
export class FolderSink extends AuditSink {
  override readonly name: string;

  constructor(
    private readonly options: FolderOptions,
    private readonly clock: Clock,
  ) {
    super();
    this.name = options.name;
  }

  override async write(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const folder = join(this.options.folder, records[0]?.orgId ?? INSTALLATION);
    await makeFolder(this.options.folder, folder);
    const lines = Buffer.from(records.map(({ event }) => `${JSON.stringify(event)}\n`).join(''), 'utf8');
    const { path, isNew } = await this.fileIn(folder);
    const file = await open(path, 'a+', 0o640);
    try {
      const size = await cutTornLine(file);
      // After the deadline, another process may write to the file, so this one must not.
      signal.throwIfAborted();
      await append(file, lines, size);
    } finally {
      await file.close();
    }
    if (isNew) await sync(folder);
  }

  /** The file to append to: the last file of the day, or a new one if the last file is full. */
  private async fileIn(folder: string): Promise<{ path: string; isNew: boolean }> {
    const day = this.clock.now().toISOString().slice(0, 10);
    const parts = (await readdir(folder)).flatMap(name => partOf(name, day));
    if (parts.length === 0) return { path: join(folder, nameOf(day, 0)), isNew: true };
    const last = Math.max(...parts);
    const path = join(folder, nameOf(day, last));
    const isFull = (await sizeOf(path)) >= (this.options.maxBytes ?? MAX_BYTES);
    return isFull ? { path: join(folder, nameOf(day, last + 1)), isNew: true } : { path, isNew: false };
  }
}

function nameOf(day: string, part: number): string {
  return part === 0 ? `${day}.jsonl` : `${day}.${part}.jsonl`;
}

function partOf(name: string, day: string): number[] {
  const [, found, part = '0'] = /^(\d{4}-\d\d-\d\d)(?:\.(\d+))?\.jsonl$/.exec(name) ?? [];
  return found === day ? [Number(part)] : [];
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/**
 * Appends all bytes and flushes them to the disk. If only a part could be written, truncates the file to its previous
 * size.
 */
async function append(file: FileHandle, bytes: Buffer, size: number): Promise<void> {
  try {
    // Uses a single write, so that lines of another process cannot be mixed with these lines.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error('The disk is full.');
    await file.sync();
  } catch (error) {
    await file.truncate(size).catch(() => undefined);
    throw error;
  }
}

/** Removes everything after the last newline. Returns the new size. */
async function cutTornLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at >= 0) {
      end = start + at + 1;
      break;
    }
    end = start;
  }
  if (end < size) await file.truncate(end);
  return end;
}

/** Creates a folder and flushes it to the disk, so that it still exists after a crash of the machine. */
async function makeFolder(parent: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o750 });
  if (made !== undefined) await sync(parent);
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
