interface SourceFile {
  file: string;
  text: string;
}

const MEDIAN = 80;
const NINE_OF_TEN = 200;
const LONGEST = 250;

// The start of a path: not in the middle of a word, a URL or another path.
const UNWANTED = /\b(?:TODO|FIXME|XXX)\b|(?<![\w./}-])\/(?:tmp|home|root|Users|work|workspaces?|mnt)\/\w+/g;

/** Files that are too long. Counts all lines, comments included. */
export function lengthFindings(files: readonly SourceFile[]): string[] {
  const lengths = files.map(({ text }) => lineCount(text)).sort((a, b) => a - b);
  const median = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;
  const ninth = lengths[Math.floor((lengths.length - 1) * 0.9)] ?? 0;
  return [
    ...(median > MEDIAN ? [`the median is ${median} lines, more than ${MEDIAN}`] : []),
    ...(ninth > NINE_OF_TEN ? [`the 90th percentile is ${ninth} lines, more than ${NINE_OF_TEN}`] : []),
    ...files
      .filter(({ text }) => lineCount(text) > LONGEST && !/^\s*(?:\/\/|\/\*)/.test(text))
      .map(
        ({ file, text }) =>
          `${file} has ${lineCount(text)} lines; split it, or begin it with a comment that says why it is long`,
      ),
  ];
}

/** Marks of unfinished work, and paths that exist on one machine only, as `file:line: text`. */
export function wordFindings(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => [...line.matchAll(UNWANTED)].map(([found]) => `${file}:${index + 1}: ${found}`));
}

/** The fields of a package in the lock file that are read here. */
export interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

/** Optional packages that the lock file lacks, such as a tool's binaries for one platform. */
export function missingBinaries(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(name => !placesOf(name, path).some(place => place in packages))
      .map(name => `${path} needs ${name}`),
  );
}

/** The folders in which Node looks for a package, the innermost first. */
function placesOf(name: string, from: string): string[] {
  const folders = from.split(/(?=\/node_modules\/)/);
  const nested = folders.map((_, depth) => `${folders.slice(0, depth + 1).join('')}/node_modules/${name}`);
  return [...nested.toReversed(), `node_modules/${name}`];
}

/** The number of lines of a text, comments and blank lines included. */
export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
