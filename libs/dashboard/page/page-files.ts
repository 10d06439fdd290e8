import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A file of the built page, with its compressed forms if they are smaller. */
export interface PageFile {
  readonly type: string;
  readonly isHashed: boolean;
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['ico', 'image/x-icon'],
  ['js', 'text/javascript; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['map', 'application/json; charset=utf-8'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['webmanifest', 'application/manifest+json; charset=utf-8'],
  ['woff2', 'font/woff2'],
]);
const PACKED = new Set(['ico', 'png', 'woff2']);
const PLAIN_MAX_BYTES = 1024;

// Brotli quality. Level 9 takes a tenth of the time of the maximum level, and its result is only a few percent larger.
const brotli = promisify(brotliCompress);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const zip = promisify(gzip);

/**
 * Folder of the built page: `dist/dashboard`. Its relative path depends on whether the sources or the compiled files
 * run.
 */
function builtPage(): string {
  const folders = ['../../../dashboard/', '../../../dist/dashboard/'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return folders.find(folder => existsSync(join(folder, 'index.html'))) ?? folders[1] ?? '';
}

/**
 * The files of the built page, each read into memory once. A request must match a file name exactly, so that no path
 * leaves the folder.
 */
export class PageFiles {
  private files: Promise<ReadonlyMap<string, string>> | undefined;
  private readonly read = new Map<string, Promise<PageFile>>();

  constructor(private readonly folder: string = builtPage()) {}

  /** A file by its path below the folder, such as `assets/index-B7x.js`; undefined if it does not exist. */
  async find(path: string): Promise<PageFile | undefined> {
    const file = (await this.all()).get(path);
    if (file === undefined) return undefined;
    const read = this.read.get(path) ?? readPageFile(path, file);
    this.read.set(path, read);
    // After a failed read, the next request reads the file again.
    read.catch(() => this.read.delete(path));
    return read;
  }

  /** Until the page is built, each request lists the folder again. */
  private async all(): Promise<ReadonlyMap<string, string>> {
    this.files ??= listFiles(this.folder);
    const files = await this.files;
    if (!files.has('index.html')) this.files = undefined;
    return files;
  }
}

async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  if (!existsSync(folder)) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.flatMap(entry => {
      const file = join(entry.parentPath, entry.name);
      return entry.isFile() ? [[file.slice(folder.length).split(sep).filter(Boolean).join('/'), file]] : [];
    }),
  );
}

async function readPageFile(path: string, file: string): Promise<PageFile> {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const plain = await readFile(file);
  const about = {
    type: TYPES.get(extension) ?? 'application/octet-stream',
    isHashed: path.startsWith('assets/'),
    plain,
  };
  if (PACKED.has(extension) || plain.length <= PLAIN_MAX_BYTES) return about;
  return { ...about, br: await brotli(plain, BROTLI), gzip: await zip(plain) };
}
