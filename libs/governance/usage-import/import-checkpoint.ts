import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '#core';

/** Progress of an import. */
export interface ImportProgress {
  /** Number of processed rows. */
  rows: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  /** Number of rows that contain no request. */
  empty: number;
}

interface Checkpoint {
  /**
   * Milliseconds that are added to all times. The number must not change between runs, so that the same rows become the
   * same events.
   */
  shiftMs: number;
  finished: boolean;
  progress: ImportProgress;
}

/** Stores the progress of an import in a file, so that an interrupted import can continue. */
export class ImportCheckpoint {
  private readonly file: string;

  constructor(folder: string, identity: object) {
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, `${createHash('sha256').update(canonicalJson(identity)).digest('hex').slice(0, 32)}.json`);
  }

  read(): Checkpoint | null {
    if (!existsSync(this.file)) return null;
    // Only `save()` writes the file, so its type is known. Each write is atomic, because it ends with a rename.
    return JSON.parse(readFileSync(this.file, 'utf8')) as Checkpoint;
  }

  save(checkpoint: Checkpoint): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(checkpoint));
    renameSync(`${this.file}.new`, this.file);
  }
}
