import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILT = join(ROOT, 'dist', 'dashboard');
const read = (...path: string[]): string => readFileSync(join(BUILT, ...path), 'utf8');

/** Files of the first load: the files that the document names, their static imports, and the first page. */
function firstLoad(): string[] {
  const named = [...read('index.html').matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(
    match => match[1] ?? '',
  );
  const page = readdirSync(join(BUILT, 'assets')).filter(name => /^overview-page.*\.js$/.test(name));
  const files = new Set([...named, ...page.map(name => `assets/${name}`)]);
  // A loop over a set also visits the elements that are added during the loop.
  for (const file of files) {
    for (const [, name = ''] of read(file).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
      files.add(`assets/${name}`);
  }
  return [...files];
}

describe('the built page', () => {
  it('loads at most 250 KB of compressed JavaScript before the first page is shown', () => {
    const files = firstLoad();
    expect(files.length).toBeGreaterThan(1);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(BUILT, file))).length, 0);
    expect(bytes).toBeLessThan(250_000);
  });

  it('names its files by relative addresses, so that it works below any prefix', () => {
    const addresses = [...read('index.html').matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '');
    expect(addresses.length).toBeGreaterThan(1);
    expect(addresses.filter(address => !address.startsWith('./'))).toEqual([]);
  });

  it("keeps the placeholder for the server's data in the head", () => {
    expect(read('index.html')).toContain('<head>');
    expect(read('index.html')).not.toMatch(/<base|name="(api|sign-in)"/);
  });

  it('has no inline script and no inline style in the document', () => {
    expect(read('index.html')).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  });

  it("gives a host none of the page's packages, neither directly nor through another package", () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
    expect(installed.length).toBeGreaterThan(50);
    const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names.filter(name => /react|tailwind|vite|tanstack|fontsource|base-ui|lucide/.test(name))).toEqual([]);
  });
});

/** The part of npm's lock file that this file reads. `dev` marks packages that only developers get. */
interface Lock {
  packages: Record<string, { dev?: true }>;
}
