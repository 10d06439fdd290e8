import type { ImportedLine } from './user-importer.js';

/** Bytes reserved for the counts beside the lines. */
const COUNTS_BYTES = 256;

/**
 * The lines of the report, within a limit in bytes: all lines, or if they do not fit, the first refused ones. Keeps no
 * more in memory.
 */
export class ImportReport {
  private readonly all: LineList;
  private readonly refused: LineList;
  private count = 0;

  constructor(maxBytes: number) {
    this.all = new LineList(maxBytes - COUNTS_BYTES);
    this.refused = new LineList(maxBytes - COUNTS_BYTES);
  }

  add(line: ImportedLine): void {
    this.count++;
    if (this.all.isFull && this.refused.isFull) return;
    const bytes = Buffer.byteLength(JSON.stringify(line)) + 1;
    this.all.add(line, bytes);
    if (line.outcome === 'refused') this.refused.add(line, bytes);
  }

  /** The lines for the response; `lines_omitted` only if lines are omitted. */
  get shown(): { lines: ImportedLine[]; lines_omitted?: number } {
    if (!this.all.isFull) return { lines: this.all.lines };
    const { lines } = this.refused;
    return { lines, lines_omitted: this.count - lines.length };
  }
}

/** Collects lines up to a limit in bytes. The first line that does not fit closes it. */
class LineList {
  lines: ImportedLine[] = [];
  isFull = false;

  constructor(private bytesLeft: number) {}

  add(line: ImportedLine, bytes: number): void {
    this.isFull ||= bytes > this.bytesLeft;
    if (this.isFull) return;
    this.bytesLeft -= bytes;
    this.lines.push(line);
  }
}
