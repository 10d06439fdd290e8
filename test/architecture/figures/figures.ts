// Figures for both the tests and `scripts/figures.mjs`. Node runs this file without a build. Therefore, it must not
// contain syntax that needs compilation, and must not import Jest.
import { duplicatedRuns } from './duplicates.js';
import { smallFiles, siblingCycles } from './folders.js';
import { linesOf, roleOf, type SourceFile } from './source-file.js';

/** The figures of the source, as `npm run figures` prints them. */
export interface Figures {
  files: number;
  lines: number;
  medianLines: number;
  ninetiethPercentileLines: number;
  /** Percentage of the non-blank lines that contain only a comment. */
  commentPercent: number;
  /** Sets of sibling folders that import one another in a cycle. */
  siblingCycles: string[];
  /** Files under 25 lines that are imported by a single file, which is in the same folder. */
  smallFiles: string[];
  /** Runs of at least six equal lines that occur in several places. */
  duplicatedRuns: string[];
  /** Number of lines that could be removed if each duplicated run occurred only once. */
  duplicatedLines: number;
  /**
   * Number of files per role, the part before the extension in `noun.role.ts`. Files without a role are counted under
   * "none".
   */
  roles: Record<string, number>;
}

/** Computes the figures. The order of the files does not matter. */
export function figuresOf(files: readonly SourceFile[]): Figures {
  const lengths = files.map(({ text }) => linesOf(text).length).sort((a, b) => a - b);
  const duplicates = duplicatedRuns(files);
  return {
    files: files.length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
    medianLines: percentile(lengths, 0.5),
    ninetiethPercentileLines: percentile(lengths, 0.9),
    commentPercent: commentPercent(files),
    siblingCycles: siblingCycles(files),
    smallFiles: smallFiles(files),
    duplicatedRuns: duplicates.map(({ lines, places }) => `${lines} lines: ${places.join(', ')}`),
    duplicatedLines: duplicates.reduce((sum, { lines, places }) => sum + lines * (places.length - 1), 0),
    roles: rolesOf(files),
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function commentPercent(files: readonly SourceFile[]): number {
  const lines = files.flatMap(({ text }) => linesOf(text)).map(line => line.trim());
  const written = lines.filter(line => line !== '');
  const comments = written.filter(line => /^(\/\/|\/\*|\*)/.test(line));
  return Math.round((1_000 * comments.length) / Math.max(written.length, 1)) / 10;
}

function rolesOf(files: readonly SourceFile[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { file } of files) {
    const role = roleOf(file) ?? 'none';
    counts.set(role, (counts.get(role) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}
