// Node runs this file without a build: it may contain no syntax that must be compiled, and nothing of Jest.
import { posix } from 'node:path';
import { linesOf, type SourceFile } from './source-file.js';

const SMALL_FILE_LINES = 25;
const RELATIVE_IMPORT = /(?:from|import|import\() ?'(\.{1,2}\/[^']+)'/g;

interface Import {
  from: string;
  to: string;
}

/**
 * Imports by a relative path. Imports by the name of a library are left out, because they cannot cause a cycle between
 * siblings.
 */
function importsOf(files: readonly SourceFile[]): Import[] {
  const known = new Set(files.map(({ file }) => file));
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(RELATIVE_IMPORT)]
      .map(([, path = '']) => posix.join(posix.dirname(file), path).replace(/\.js$/, '.ts'))
      .filter(to => known.has(to))
      .map(to => ({ from: file, to })),
  );
}

/**
 * Sets of folders with the same parent, each of which reaches all others by imports, as `libs/a/{b, c}`. Files directly
 * in the parent do not belong to any sibling.
 */
export function siblingCycles(files: readonly SourceFile[]): string[] {
  const arrows = new Map<string, Map<string, Set<string>>>();
  for (const { from, to } of importsOf(files)) {
    const parent = commonFolder(from, to);
    const [source, target] = [childOf(parent, from), childOf(parent, to)];
    if (source === undefined || target === undefined || source === target) continue;
    const siblings = arrows.get(parent) ?? new Map<string, Set<string>>();
    arrows.set(parent, siblings);
    siblings.set(source, (siblings.get(source) ?? new Set()).add(target));
  }
  return [...arrows]
    .filter(([parent]) => parent !== 'libs')
    .flatMap(([parent, siblings]) => cyclesOf(siblings).map(cycle => `${parent}/{${cycle.join(', ')}}`))
    .sort();
}

/**
 * Files under 25 lines with exactly one importer, if that importer is in the same folder and is neither an `index.ts`
 * nor a module.
 */
export function smallFiles(files: readonly SourceFile[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of importsOf(files)) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return files
    .filter(({ text }) => linesOf(text).length < SMALL_FILE_LINES)
    .map(({ file }) => ({ file, by: [...(importers.get(file) ?? [])] }))
    .filter(({ file, by }) => by.length === 1 && posix.dirname(by[0] ?? '') === posix.dirname(file))
    .filter(({ by }) => !/\/index\.ts$|\.(?:module|providers)\.ts$/.test(by[0] ?? ''))
    .map(({ file, by }) => `${file} <- ${posix.basename(by[0] ?? '')}`)
    .sort();
}

function commonFolder(a: string, b: string): string {
  const [left, right] = [posix.dirname(a).split('/'), posix.dirname(b).split('/')];
  const apart = left.findIndex((part, depth) => part !== right[depth]);
  return (apart < 0 ? left : left.slice(0, apart)).join('/');
}

/** The folder directly below the parent that contains the file; undefined for a file directly in the parent. */
function childOf(parent: string, file: string): string | undefined {
  const [child, ...below] = file.slice(parent.length + 1).split('/');
  return below.length > 0 ? child : undefined;
}

function cyclesOf(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map([...arrows.keys()].map(node => [node, reachedFrom(node, arrows)]));
  const cycles = new Map<string, string[]>();
  for (const [node, reached] of reach) {
    if (!reached.has(node)) continue;
    const cycle = [...reached].filter(other => reach.get(other)?.has(node) === true).sort();
    cycles.set(cycle.join(), cycle);
  }
  return [...cycles.values()];
}

function reachedFrom(start: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of arrows.get(node) ?? []) {
      if (!reached.has(next)) open.push(next);
      reached.add(next);
    }
  }
  return reached;
}
