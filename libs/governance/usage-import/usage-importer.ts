import { Injectable } from '@nestjs/common';
import { operatorActor } from '#access';
import { Clock } from '#core';
import { NO_TIME_LIMITS, UsageIngestion } from '#usage';
import { UserService } from '#users';
import { ImportCheckpoint, type ImportProgress } from './import-checkpoint.js';
import { RowMapping, type MappedRow, type MappingOptions } from './row-mapping.js';
import { TableFile } from './table-file.js';

/** What to import, and how. */
export interface ImportRequest extends MappingOptions {
  path: string;
  orgId: string;
  /** Create the users that rows name and the organization lacks. */
  createUsers: boolean;
  /** Move all times by one amount, so that the last row happens now. */
  shiftToNow: boolean;
  /** Folder for checkpoints. */
  checkpoints: string;
  /** Called after each batch; `total` counts the rows of the file. */
  onProgress?: (progress: ImportProgress, total: number) => void;
  /** Called for each row that is refused. */
  onRefusal?: (row: number, field: string, message: string) => void;
}

const BATCH = 1_000;

/**
 * Imports usage from a table. The id of a row is made of the file's content and its number, so importing a file again
 * finds every row there already. The age limit of the API does not apply.
 */
@Injectable()
export class UsageImporter {
  constructor(
    private readonly usage: UsageIngestion,
    private readonly users: UserService,
    private readonly clock: Clock,
  ) {}

  /** @throws Error for a mapping that does not fit the file; rows that are at fault are counted, not thrown. */
  async import(request: ImportRequest): Promise<ImportProgress> {
    const file = new TableFile(request.path);
    const mapping = new RowMapping(request, await file.columns());
    const digest = await file.digest();
    const { orgId, fields, timeFormat, timeOrigin, shiftToNow } = request;
    const checkpoint = new ImportCheckpoint(request.checkpoints, {
      digest,
      orgId,
      fields,
      timeFormat,
      timeOrigin: timeOrigin?.toISOString() ?? null,
      shiftToNow,
    });
    const { total, latest } = await survey(file, mapping);
    const before = checkpoint.read();
    const shiftMs = before?.shiftMs ?? (shiftToNow && latest !== null ? this.clock.now().getTime() - latest : 0);
    const progress: ImportProgress =
      before && !before.finished
        ? { ...before.progress }
        : { rows: 0, accepted: 0, duplicates: 0, rejected: 0, empty: 0 };

    let batch: { row: number; mapped: MappedRow }[] = [];
    let row = 0;
    const flush = async (): Promise<void> => {
      await this.record(request, batch, progress);
      batch = [];
      progress.rows = row;
      checkpoint.save({ shiftMs, finished: row === total, progress });
      request.onProgress?.(progress, total);
    };
    for await (const values of file.rows()) {
      row++;
      if (row <= progress.rows) continue;
      const mapped = mapping.map(values, `${digest.slice(0, 16)}-${row}`, shiftMs);
      if (mapped.isEmpty) progress.empty++;
      else batch.push({ row, mapped });
      if (batch.length === BATCH) await flush();
    }
    await flush();
    return progress;
  }

  private async record(
    request: ImportRequest,
    batch: readonly { row: number; mapped: MappedRow }[],
    progress: ImportProgress,
  ): Promise<void> {
    if (batch.length === 0) return;
    if (request.createUsers) {
      const people = new Map(batch.map(({ mapped }) => [mapped.person.email, mapped.person]));
      await this.users.ensureMany(operatorActor(request.orgId, 'import'), [...people.values()]);
    }
    const events = batch.map(({ mapped }) => mapped.event);
    const outcome = await this.usage.record(request.orgId, events, { limits: NO_TIME_LIMITS });
    progress.accepted += outcome.accepted;
    progress.duplicates += outcome.duplicates;
    progress.rejected += outcome.rejected.length;
    for (const refusal of outcome.rejected) {
      request.onRefusal?.(batch[refusal.index]?.row ?? 0, refusal.field, refusal.message);
    }
  }
}

async function survey(file: TableFile, mapping: RowMapping): Promise<{ total: number; latest: number | null }> {
  let total = 0;
  let latest: number | null = null;
  for await (const row of file.rows()) {
    total++;
    const time = mapping.timeOf(row);
    if (time !== null && (latest === null || time > latest)) latest = time;
  }
  return { total, latest };
}
