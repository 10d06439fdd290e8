// Node runs this file without a build. Therefore, it must not contain syntax that needs compilation, and must not
// import Jest.
import type { SourceFile } from './source-file.js';

const SHORTEST_RUN = 6;

/** A run of equal lines that occurs in several places. */
export interface DuplicatedRun {
  lines: number;
  /** The places as `file:line`, in the order of the files. */
  places: string[];
}

interface Line {
  text: string;
  number: number;
}

interface Place {
  file: number;
  at: number;
}

/**
 * Runs of at least six lines that differ only in indentation. Blank lines, comments and imports are removed before the
 * comparison. Generated files are not read.
 */
export function duplicatedRuns(all: readonly SourceFile[]): DuplicatedRun[] {
  const files = all.filter(({ text }) => !/^\/\/ Generated\b/.test(text));
  const sources = files.map(({ text }) => codeLines(text));
  const windows = new Map<string, Place[]>();
  sources.forEach((lines, file) => {
    for (let at = 0; at + SHORTEST_RUN <= lines.length; at += 1) {
      const key = lines
        .slice(at, at + SHORTEST_RUN)
        .map(({ text }) => text)
        .join('\n');
      windows.set(key, [...(windows.get(key) ?? []), { file, at }]);
    }
  });
  const taken = new Set<string>();
  const runs: DuplicatedRun[] = [];
  for (const places of windows.values()) {
    const free = apart(places).filter(({ file, at }) => !taken.has(`${file}:${at}`));
    if (free.length < 2) continue;
    const length = commonLength(sources, free);
    for (const { file, at } of free) {
      for (let line = at; line < at + length; line += 1) taken.add(`${file}:${line}`);
    }
    runs.push({
      lines: length,
      places: free.map(({ file, at }) => `${files[file]?.file}:${sources[file]?.[at]?.number}`),
    });
  }
  return runs.sort((a, b) => b.lines - a.lines);
}

/** The lines of code, each with its number in the file. */
function codeLines(text: string): Line[] {
  const withoutImports = text.replaceAll(/^(?:import|export) [^;]*? from '[^']+';$/gm, found =>
    found.replaceAll(/[^\n]/g, ''),
  );
  return withoutImports
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter(line => line.text !== '' && !/^(\/\/|\/\*|\*)/.test(line.text));
}

/** Removes places that overlap an earlier place in the same file. */
function apart(places: readonly Place[]): Place[] {
  return places.filter(
    ({ file, at }, index) => !places.slice(0, index).some(other => other.file === file && at - other.at < SHORTEST_RUN),
  );
}

/** The number of consecutive lines that are equal at all places. */
function commonLength(sources: readonly Line[][], places: readonly Place[]): number {
  const lineAt = ({ file, at }: Place, offset: number): string | undefined => sources[file]?.[at + offset]?.text;
  let length = SHORTEST_RUN;
  const [first, ...others] = places;
  if (!first) return length;
  while (
    lineAt(first, length) !== undefined &&
    others.every(place => lineAt(place, length) === lineAt(first, length))
  ) {
    length += 1;
  }
  return length;
}
