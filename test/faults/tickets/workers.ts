import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from '../../support/certificates.js';
import { startProcess, type GovernedProcess } from '../../support/governed-process.js';
import type { TicketWorkerSettings } from './worker.main.js';

/** A worker in a separate process that is killed and replaced. */
export class KillableWorker {
  /** Number of kills so far. */
  kills = 0;
  /** The error because of which no worker runs any more. */
  failure: Error | undefined;
  private current: GovernedProcess | undefined;
  private replacing: Promise<void> | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'month-'));
  private readonly clockFile = join(this.folder, 'clock');
  private readonly clock = openSync(this.clockFile, 'w');

  private constructor(
    private readonly authority: Authority,
    private readonly settings: Omit<TicketWorkerSettings, 'clockFile'>,
    private readonly afterKill: () => Promise<void>,
  ) {}

  /** @param afterKill called after each kill, before another process begins */
  static async start(
    authority: Authority,
    settings: Omit<TicketWorkerSettings, 'clockFile'>,
    now: Date,
    afterKill: () => Promise<void>,
  ): Promise<KillableWorker> {
    const worker = new KillableWorker(authority, settings, afterKill);
    worker.setClock(now);
    worker.current = await worker.begin();
    return worker;
  }

  /** Writes the same number of digits each time, in one write, so that a reader gets either the old or the new time. */
  setClock(now: Date): void {
    writeSync(this.clock, String(now.getTime()), 0);
  }

  /** Kills the worker with SIGKILL. Resolves when another process works. Concurrent calls start only one process. */
  async kill(): Promise<void> {
    this.replacing ??= this.replace().catch((error: unknown) => {
      this.failure = new Error('the worker cannot be replaced', { cause: error });
    });
    await this.replacing;
  }

  async close(): Promise<void> {
    await this.replacing;
    await this.current?.end('SIGKILL');
    closeSync(this.clock);
    rmSync(this.folder, { recursive: true });
  }

  private async replace(): Promise<void> {
    await this.current?.end('SIGKILL');
    await this.afterKill();
    this.kills += 1;
    // Tries twice, because on a busy machine the start of a worker may take longer than the usual wait.
    this.current = await this.begin().catch(() => this.begin());
    this.replacing = undefined;
  }

  private begin(): Promise<GovernedProcess> {
    const told: TicketWorkerSettings = { ...this.settings, clockFile: this.clockFile };
    return startProcess(join('..', 'tickets', 'worker.main.ts'), 'Tickets', {
      NODE_EXTRA_CA_CERTS: this.authority.caFile(),
      WORKER_SETTINGS: JSON.stringify(told),
    });
  }
}
