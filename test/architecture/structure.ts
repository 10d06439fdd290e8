interface SourceFile {
  file: string;
  text: string;
}

const MEDIAN = 80;
const NINE_OF_TEN = 200;
const LONGEST = 250;

// A path begins where a word, a URL or another path does not go on.
const UNWANTED = /\b(?:TODO|FIXME|XXX)\b|(?<![\w./}-])\/(?:tmp|home|root|Users|work|workspaces?|mnt)\/\w+/g;

/** What is too long. Counts lines as they stand, comments included. */
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

/** Marks of unfinished work and paths of one machine, as `file:line: what`. */
export function wordFindings(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => [...line.matchAll(UNWANTED)].map(([found]) => `${file}:${index + 1}: ${found}`));
}

/** A package in the lock file, as far as it is read here. */
export interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

/** Optional packages, such as a tool's binaries for one platform, that the lock file does not hold. */
export function missingBinaries(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(name => !placesOf(name, path).some(place => place in packages))
      .map(name => `${path} needs ${name}`),
  );
}

/** Where Node would look for a package, from the inside out. */
function placesOf(name: string, from: string): string[] {
  const folders = from.split(/(?=\/node_modules\/)/);
  const nested = folders.map((_, depth) => `${folders.slice(0, depth + 1).join('')}/node_modules/${name}`);
  return [...nested.toReversed(), `node_modules/${name}`];
}

/** How many lines a text has, comments and blanks included. */
export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
