import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import { sleep } from '../../faults/processes/chance.js';
import { openLink, type Link } from './link.js';

const PLANTED_FAULTS = join(import.meta.dirname, '..', 'planted-faults');
/** Shifts the time of day of a process by CLOCK_SHIFT_MS. */
const SHIFTED_CLOCK = join(import.meta.dirname, '..', '..', 'faults', 'processes', 'shifted-clock.mjs');
const START_WITHIN_MS = 90_000;

/** The settings of all replicas. */
export interface ReplicaSettings {
  readonly environment: Record<string, string>;
  /** The URL of the database. Each replica gets it with the port of its own link. */
  readonly databaseUrl: string;
  /** The planted fault that every replica loads before the app. */
  readonly plant: string | undefined;
}

/** A replica of the bundled app that can be killed and restarted, with a separate network link to the database. */
export class Replica {
  private process: StandaloneProcess | undefined;
  private closed = false;
  /** The output of all processes of the replica. */
  private said = '';

  private constructor(
    readonly name: string,
    readonly link: Link,
    private readonly settings: ReplicaSettings,
  ) {}

  static async open(name: string, settings: ReplicaSettings): Promise<Replica> {
    return new Replica(name, await openLink(), settings);
  }

  /** The URL of the replica; undefined while the replica is not running. */
  get url(): string | undefined {
    return this.process?.hasEnded() ? undefined : this.process?.url;
  }

  get output(): string {
    return this.said + (this.process?.output() ?? '');
  }

  /** Starts the process until it keeps running, because it exits by itself while the database is down. */
  async start(clockShiftMs = 0): Promise<void> {
    const url = new URL(this.settings.databaseUrl);
    url.port = String(this.link.port);
    const preloads = [
      ...(clockShiftMs === 0 ? [] : [`--import ${pathToFileURL(SHIFTED_CLOCK).href}`]),
      ...(this.settings.plant === undefined
        ? []
        : [`--import ${pathToFileURL(join(PLANTED_FAULTS, `${this.settings.plant}.mjs`)).href}`]),
    ];
    const environment = {
      ...this.settings.environment,
      DATABASE_URL: url.href,
      CLOCK_SHIFT_MS: String(clockShiftMs),
      ...(preloads.length > 0 && { NODE_OPTIONS: preloads.join(' ') }),
    };
    const deadline = performance.now() + START_WITHIN_MS;
    while (!this.closed) {
      try {
        this.process = await startStandalone(environment);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(200);
      }
    }
  }

  /** Ends the process with SIGKILL. */
  async kill(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    if (process === undefined || process.hasEnded()) return;
    await process.end('SIGKILL');
    this.said += process.output();
  }

  /** Freezes the process with SIGSTOP, of which it gets no notice. */
  pause(): void {
    this.process?.process.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.process.kill('SIGCONT');
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.kill();
    await this.link.close();
  }
}
