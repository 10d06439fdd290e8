import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type RunningPostgres } from '../../../apps/standalone/embedded-postgres.js';
import { sleep, until, type Chance } from '../../faults/processes/chance.js';
import { rowsOf, type Database, type DatabaseFault } from './database.js';

const MEMORY = '/dev/shm';
/** Space for the data, its log and the data of the campaign. */
const DISK_MB = 768;
const BALLAST_BYTES = 4 * 1024 ** 2;
const START_WITHIN_MS = 60_000;
/**
 * A commit waits only until the kernel has the data. Killing the process loses nothing; a crash of the machine would
 * lose data.
 */
const FLAGS = ['fsync=off', 'max_connections=200', 'max_wal_size=128MB'];

/** A PostgreSQL server that can be killed and restarted, and whose disk can be filled. */
export class SingleServer implements Database {
  readonly skipped: readonly string[];
  readonly faults: readonly DatabaseFault[];
  /** Crashes since the start that this class did not cause: PostgreSQL stops if there is no space for its log. */
  private ownEnds = 0;
  private wanted = true;
  private onStart: (port: number) => void = () => undefined;

  private constructor(
    private readonly folder: string,
    /** The reason why the disk cannot be filled on this machine; undefined if it can. */
    private readonly noSmallDisk: string | undefined,
    private server: RunningPostgres,
  ) {
    const killed: DatabaseFault = { name: 'database killed', run: chance => this.killAndRestart(chance) };
    const full: DatabaseFault = { name: 'disk full', run: chance => this.fillAndEmpty(chance) };
    this.faults = noSmallDisk === undefined ? [killed, full] : [killed];
    const noDisk = noSmallDisk === undefined ? [] : [`disk full (${noSmallDisk})`];
    this.skipped = [...noDisk, 'failover (this campaign has one database server: see --failover)'];
    this.watch();
  }

  static async start(): Promise<SingleServer> {
    const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'governance-campaign-'));
    chmodSync(folder, 0o711);
    const noSmallDisk = mountSmallDisk(join(folder, 'disk'));
    const server = await startEmbeddedPostgres(join(folder, 'disk'), { flags: FLAGS });
    return new SingleServer(folder, noSmallDisk, server);
  }

  get url(): string {
    return this.server.url;
  }

  followed(onStart: (port: number) => void): void {
    this.onStart = onStart;
    onStart(this.server.port);
  }

  query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.url, sql, parameters);
  }

  async stop(): Promise<void> {
    this.wanted = false;
    await this.server.stop();
    if (this.noSmallDisk === undefined) execFileSync('umount', [join(this.folder, 'disk')]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async killAndRestart(chance: Chance): Promise<undefined> {
    await this.kill();
    await sleep(chance.below(2_500));
    await this.restart();
  }

  private async fillAndEmpty(chance: Chance): Promise<string | undefined> {
    const before = this.ownEnds;
    await this.fill();
    await sleep(1_000 + chance.below(3_000));
    rmSync(join(this.folder, 'disk', 'ballast'), { force: true });
    await until('the database answers', START_WITHIN_MS, () =>
      this.query('select 1').then(
        () => true,
        () => false,
      ),
    );
    return this.ownEnds > before ? 'PostgreSQL ended itself and recovered' : undefined;
  }

  /** SIGKILL for the server and all its processes, like the kernel's out-of-memory killer. */
  private async kill(): Promise<void> {
    this.wanted = false;
    const lost = this.server.lost;
    const [pid] = readFileSync(join(this.folder, 'disk', 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    // The server leads its own process group.
    process.kill(-Number(pid), 'SIGKILL');
    await lost;
  }

  /** Starts the server again. It recovers from its log. */
  private async restart(): Promise<void> {
    const deadline = performance.now() + START_WITHIN_MS;
    for (;;) {
      try {
        this.server = await startEmbeddedPostgres(join(this.folder, 'disk'), { flags: FLAGS });
        break;
      } catch (error) {
        // The shared memory of the killed server may still exist for a moment.
        if (performance.now() > deadline) throw error;
        await sleep(200);
      }
    }
    this.wanted = true;
    this.watch();
    this.onStart(this.server.port);
  }

  /** Fills the disk completely. */
  private async fill(): Promise<void> {
    const piece = Buffer.alloc(BALLAST_BYTES);
    try {
      // A write without enough space writes a part, and the next one fails.
      for (;;) await appendFile(join(this.folder, 'disk', 'ballast'), piece);
    } catch {
      // The disk is full now, as intended.
    }
  }

  private watch(): void {
    const { server } = this;
    const comeBack = async (): Promise<void> => {
      await server.lost;
      if (!this.wanted || server !== this.server) return;
      this.ownEnds += 1;
      this.wanted = false;
      await this.restart();
    };
    void comeBack();
  }
}

/** Mounts a separate disk for the data, which needs root. Returns the reason if this is not possible. */
function mountSmallDisk(folder: string): string | undefined {
  mkdirSync(folder);
  chmodSync(folder, 0o711);
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a small disk needs root on Linux';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=711`, 'governance-campaign', folder], {
      stdio: 'pipe',
    });
    return undefined;
  } catch (error) {
    return `no small disk can be mounted: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
}
