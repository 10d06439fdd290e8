import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './markdown.js';

/** A metric as the code declares it. */
export interface Instrument {
  /** The name as Prometheus shows it, with the unit. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly description: string;
}

const FOLDERS = ['libs', join('apps', 'standalone')];
const DECLARED =
  /\.create(Counter|Histogram|ObservableGauge|ObservableCounter)\(\s*'([^']+)',\s*\{\s*description:\s*(?:'([^']+)'|"([^"]+)"),\s*unit:\s*'([^']+)'/g;
const ANY = /\.create(?:Counter|Histogram|Gauge|UpDownCounter|Observable\w+)\(/g;
const UNITS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };
const KINDS = {
  Counter: 'counter',
  ObservableCounter: 'counter',
  ObservableGauge: 'gauge',
  Histogram: 'histogram',
} as const;

/**
 * All metrics that the code declares, by name.
 *
 * @throws if a declaration cannot be parsed
 */
export function declaredInstruments(): Instrument[] {
  const found = FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.includes('node_modules'))
      .flatMap(name => instrumentsOf(join(folder, name))),
  );
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function instrumentsOf(path: string): Instrument[] {
  const code = readFileSync(join(ROOT, path), 'utf8');
  const found = [...code.matchAll(DECLARED)].map(([, create = '', name = '', quoted, doubled, unit = '']) => {
    const kind = KINDS[create as keyof typeof KINDS];
    const shown = name.replaceAll(/[^a-z0-9]/g, '_') + (UNITS[unit] ?? '');
    const description = quoted ?? doubled ?? '';
    return { name: kind === 'counter' ? `${shown}_total` : shown, kind, description };
  });
  if (found.length !== [...code.matchAll(ANY)].length) {
    throw new Error(`${path}: give each instrument its name, description and unit, in this order, as literals`);
  }
  return found;
}
