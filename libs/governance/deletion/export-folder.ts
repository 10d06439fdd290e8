import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrorLike } from '#core';

/** A file of an export. */
export interface ExportedFile {
  /** Path of the file, relative to the folder. */
  readonly path: string;
  /** Table of the rows. Undefined for the configuration file. */
  readonly table?: string;
  /** Number of lines. Each line is a JSON object. Undefined for the configuration file. */
  readonly rows?: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
}

/** Content of `manifest.json`. */
export interface ExportManifest {
  readonly format: 1;
  readonly organization: { readonly id: string; readonly name: string };
  /** Time of the export in ISO 8601. */
  readonly exported_at: string;
  /** Name of the newest migration of the database. */
  readonly schema: string;
  readonly files: readonly ExportedFile[];
  /** Tables without a file, with the reason. If there is no configuration file, also contains `configuration`. */
  readonly left_out: Readonly<Record<string, string>>;
  /** Columns that the files omit, because they would reveal secrets. */
  readonly omitted_columns: Readonly<Record<string, readonly string[]>>;
}

const MANIFEST = 'manifest.json';
/** Name of the file that marks an export as unfinished. */
const UNFINISHED = 'unfinished.json';

/** The folder of an export. Only the user of the process may read it. */
export class ExportFolder {
  constructor(readonly path: string) {}

  /** The manifest of a finished export; undefined if the export is not finished. */
  async manifest(): Promise<ExportManifest | undefined> {
    const text = await readFile(join(this.path, MANIFEST), 'utf8').catch(nothingThere);
    // Only this class writes the file, so its type is known.
    return text === undefined ? undefined : (JSON.parse(text) as ExportManifest);
  }

  /**
   * Starts an export. The folder must be new or empty, or contain an unfinished export of the same organization, which
   * is removed.
   * @throws Error if the folder contains anything else
   */
  async begin(orgId: string): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const there = await readdir(this.path);
    if (there.length > 0) {
      const mark = await readFile(join(this.path, UNFINISHED), 'utf8').catch(nothingThere);
      if (mark !== orgId) throw new Error(`The folder ${this.path} is not empty. Name a new folder for the export.`);
      for (const name of there) await rm(join(this.path, name), { recursive: true });
    }
    await this.write(UNFINISHED, [orgId]);
    await mkdir(join(this.path, 'tables'), { mode: 0o700 });
  }

  /** Writes a file and flushes it to the disk. Returns its size and digest. */
  async write(
    path: string,
    texts: AsyncIterable<string> | Iterable<string>,
  ): Promise<Pick<ExportedFile, 'path' | 'bytes' | 'sha256'>> {
    const hash = createHash('sha256');
    let bytes = 0;
    const file = await open(join(this.path, path), 'w', 0o600);
    try {
      for await (const text of texts) {
        const chunk = Buffer.from(text);
        await file.writeFile(chunk);
        hash.update(chunk);
        bytes += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { path, bytes, sha256: hash.digest('hex') };
  }

  /** Writes the manifest, which completes the export. */
  async finish(manifest: ExportManifest): Promise<void> {
    const temporary = `${MANIFEST}.new`;
    await this.write(temporary, [`${JSON.stringify(manifest, null, 2)}\n`]);
    await rename(join(this.path, temporary), join(this.path, MANIFEST));
    await rm(join(this.path, UNFINISHED));
  }

  /**
   * Reads all files of a finished export again, to check them.
   * @throws Error naming the file that is missing or was changed
   */
  async verify({ files }: ExportManifest): Promise<void> {
    for (const { path, sha256 } of files) {
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(join(this.path, path))) hash.update(chunk as Buffer);
      if (hash.digest('hex') !== sha256) {
        throw new Error(`The file ${path} of the export is not as it was written. Nothing more is deleted.`);
      }
    }
  }
}

function nothingThere(error: unknown): undefined {
  if (isErrorLike(error) && error.code === 'ENOENT') return undefined;
  throw error;
}
