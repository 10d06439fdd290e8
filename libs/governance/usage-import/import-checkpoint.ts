import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '#core';

/** How far an import has come. */
export interface ImportProgress {
  /** Rows of the file that are done. */
  rows: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  /** Rows that stand for no request. */
  empty: number;
}

interface Checkpoint {
  /** How far times were moved; the same in every run, so that the same rows stay the same events. */
  shiftMs: number;
  finished: boolean;
  progress: ImportProgress;
}

/** Remembers an import in a file, so that an interrupted one goes on where it stopped. */
export class ImportCheckpoint {
  private readonly file: string;

  constructor(folder: string, identity: object) {
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, `${createHash('sha256').update(canonicalJson(identity)).digest('hex').slice(0, 32)}.json`);
  }

  read(): Checkpoint | null {
    if (!existsSync(this.file)) return null;
    // Written by save() only; renamed into place, so never half written.
    return JSON.parse(readFileSync(this.file, 'utf8')) as Checkpoint;
  }

  save(checkpoint: Checkpoint): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(checkpoint));
    renameSync(`${this.file}.new`, this.file);
  }
}
