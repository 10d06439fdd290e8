import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { metrics, type ObservableResult } from '@opentelemetry/api';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, METER, type SqlTransaction } from '#core';
import { LONG_READ_MS, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { figureColumns } from '../figures/index.js';
import { parseDateRange } from '../periods/index.js';
import { USAGE_OPTIONS, type UsageOptions } from '../usage.options.js';
import { FocusExport } from './focus-export.service.js';

const ORGANIZATIONS = `select id from ${SCHEMA}.organization_ids() as id order by id`;

// Lock of an organization. Only one replica exports an organization at a time; other replicas skip it.
const LOCK = `select pg_try_advisory_xact_lock(hashtextextended('governance.focus_export:' || $1, 0)) as taken`;

// Digest of a day: the sum of the hashes of its rows. The digest changes if any row changes, and does not depend on the
// order of the rows.
const DAYS = `
select to_char(u.day, 'YYYY-MM-DD') as day, u.digest::text, f.digest = u.digest as is_same
from (select (t.start at time zone 'UTC')::date as day,
    sum(hashtextextended(concat_ws('|', t.attribution_id, t.model, t.provider, ${figureColumns(column => `t.${column}`)}), 0))
      as digest
  from ${SCHEMA}.usage_totals t
  where t.org_id = $1 and t.grain_minutes = 1440 and t.start < $2::timestamptz group by 1) u
left join ${SCHEMA}.focus_exports f on f.org_id = $1 and f.day = u.day
order by u.day`;

const IS_WRITTEN = `
select 1 as yes from ${SCHEMA}.focus_exports where org_id = $1 and day = $2::date and digest = $3::numeric`;

const RECORD = `
insert into ${SCHEMA}.focus_exports (org_id, day, digest, written_at) values ($1, $2::date, $3::numeric, $4)
on conflict (org_id, day) do update set digest = excluded.digest, written_at = excluded.written_at`;

interface Day {
  day: string;
  digest: string;
  is_same: boolean | null;
}

/**
 * Writes FOCUS files into a folder, one per organization and finished UTC day. Each hour, it writes the files of new
 * and changed days. It replaces a file as a whole. If a replica stops before it has recorded a file in the database,
 * the file is written again.
 */
@Injectable()
export class ScheduledFocusExport implements OnModuleDestroy {
  /** Writes all files that are due. Returns their number. */
  readonly run: () => Promise<number>;
  private readonly folder: string | undefined;
  private succeededAt: Date | undefined;
  private readonly gauge = metrics.getMeter(METER).createObservableGauge('governance.focus.export.last_success', {
    description: 'Time at which this process last completed the FOCUS export, in seconds since 1970',
    unit: 's',
  });

  private readonly observe = (result: ObservableResult): void => {
    if (this.succeededAt) result.observe(Math.floor(this.succeededAt.getTime() / 1_000));
  };

  constructor(
    private readonly database: OrgDatabase,
    private readonly focus: FocusExport,
    private readonly clock: Clock,
    @Inject(USAGE_OPTIONS) options: UsageOptions,
    scheduler: Scheduler,
  ) {
    this.folder = options.focusExportDir;
    this.run = scheduler.add({
      name: 'focus-export',
      pattern: '10 20 * * * *',
      isDueAtStart: true,
      failure: 'FOCUS files could not be written',
      round: () => this.round(),
    });
    this.gauge.addCallback(this.observe);
  }

  onModuleDestroy(): void {
    this.gauge.removeCallback(this.observe);
  }

  private async round(): Promise<number> {
    if (this.folder === undefined) return 0;
    let written = 0;
    for (const { id } of await this.database.global<{ id: string }>(ORGANIZATIONS)) {
      written += await this.exportOf(id, join(this.folder, id));
    }
    this.succeededAt = this.clock.now();
    return written;
  }

  private async exportOf(orgId: string, folder: string): Promise<number> {
    await mkdir(folder, { recursive: true });
    let written = 0;
    for (const { day, digest } of await this.dueDays(orgId, folder)) {
      if (await this.write(orgId, folder, day, digest)) written++;
    }
    return written;
  }

  private async dueDays(orgId: string, folder: string): Promise<Day[]> {
    const present = new Set(await readdir(folder));
    const days = await this.read(orgId, tx => tx.query<Day>(DAYS, [orgId, this.today()]));
    return days.filter(({ day, is_same: isSame }) => isSame !== true || !present.has(fileOf(day)));
  }

  /**
   * Holds the organization's lock while it writes the file. Records the file in the same transaction, once the file is
   * in place.
   */
  private write(orgId: string, folder: string, day: string, digest: string): Promise<boolean> {
    return this.read(orgId, async tx => {
      const [lock] = await tx.query<{ taken: boolean }>(LOCK, [orgId]);
      if (!lock?.taken) return false;
      const path = join(folder, fileOf(day));
      // Another replica may have written the file since the digests were compared.
      const written = await tx.query(IS_WRITTEN, [orgId, day, digest]);
      if (written.length > 0 && existsSync(path)) return false;
      // The rows are read after the digest. A row that arrives in between changes the digest, so the next run writes
      // the file again.
      await replace(path, this.focus.csv(orgId, parseDateRange(day, day)));
      await tx.query(RECORD, [orgId, day, digest, this.clock.now().toISOString()]);
      return true;
    });
  }

  private read<T>(orgId: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction(orgId, em => work(sqlOf(em)), { timeoutMs: LONG_READ_MS });
  }

  private today(): string {
    return `${this.clock.now().toISOString().slice(0, 10)}T00:00:00Z`;
  }
}

function fileOf(day: string): string {
  return `focus-${day}.csv`;
}

/** Renaming replaces the file atomically: a reader sees either the old file or the complete new one. */
async function replace(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const partial = `${path}.partial`;
  try {
    const file = await open(partial, 'w');
    try {
      for await (const piece of pieces) await file.write(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
