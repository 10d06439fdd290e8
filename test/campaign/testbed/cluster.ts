import { sleep, type Chance } from '../../faults/processes/chance.js';
import { startPatroni, type PatroniCluster } from '../../support/patroni.js';
import { rowsOf, type Database, type DatabaseFault } from './database.js';

const STANDBYS = 2;

/** Three servers of PostgreSQL 15 with Patroni and synchronous replication. Their primary fails, and a standby takes over. */
export class Cluster implements Database {
  readonly skipped = ['database killed (a failover kills the primary)', 'disk full (this campaign has a cluster)'];
  readonly faults: readonly DatabaseFault[] = [{ name: 'failover', run: chance => this.failOver(chance) }];

  private constructor(private readonly patroni: PatroniCluster) {}

  static async start(): Promise<Cluster> {
    return new Cluster(await startPatroni({ max_connections: '200' }));
  }

  get url(): string {
    return this.patroni.url;
  }

  followed(onStart: (port: number) => void): void {
    // HAProxy keeps running.
    onStart(Number(new URL(this.url).port));
  }

  query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.url, sql, parameters);
  }

  stop(): Promise<void> {
    return this.patroni.stop();
  }

  /** Kills the primary and its Patroni. The server returns as a standby after another server has become the primary. */
  private async failOver(chance: Chance): Promise<string> {
    const old = await this.patroni.settled();
    this.patroni.kill(old);
    const next = await this.patroni.settled(old);
    await sleep(chance.below(2_500));
    this.patroni.restart(old);
    await this.patroni.streaming(STANDBYS);
    return `from ${old} to ${next}`;
  }
}
