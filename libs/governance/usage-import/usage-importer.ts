import { Injectable } from '@nestjs/common';
import { operatorActor } from '#access';
import { Clock } from '#core';
import { NO_TIME_LIMITS, UsageIngestion } from '#usage';
import { personDefect, UserService } from '#users';
import { ImportCheckpoint, type ImportProgress } from './import-checkpoint.js';
import { RowMapping, type MappedRow, type MappingOptions } from './row-mapping.js';
import { TableFile } from './table-file.js';

/** Input and options of an import. */
export interface ImportRequest extends MappingOptions {
  path: string;
  orgId: string;
  /** Whether to create missing users. */
  createUsers: boolean;
  /** Whether to shift all times by the same amount, so that the last row has the current time. */
  shiftToNow: boolean;
  /** Folder for checkpoints. */
  checkpoints: string;
  /** Called after each batch. `total` is the number of rows in the file. */
  onProgress?: (progress: ImportProgress, total: number) => void;
  /** Called for each row that is refused. */
  onRefusal?: (row: number, field: string, message: string) => void;
}

const BATCH = 1_000;

const FIELD_OF_PERSON = {
  email: 'user_email',
  name: 'user_name',
  department: 'user_department',
  role: 'role',
} as const;

interface NumberedRow {
  row: number;
  mapped: MappedRow;
}

/**
 * Imports usage from a table. The id of an event is derived from the file's content and the row number. Importing a
 * file again therefore adds no events. The API's limit for the age of usage does not apply.
 */
@Injectable()
export class UsageImporter {
  constructor(
    private readonly usage: UsageIngestion,
    private readonly users: UserService,
    private readonly clock: Clock,
  ) {}

  /** @throws Error for a mapping that does not fit the file. Invalid rows do not cause errors; they are counted. */
  async import(request: ImportRequest): Promise<ImportProgress> {
    const file = new TableFile(request.path);
    const mapping = new RowMapping(request, await file.columns());
    if (request.createUsers && request.fields['user_email'] === undefined) {
      throw new Error('users cannot be created without their e-mail address; say --field user_email=…');
    }
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

    // Stored before the first event. If the run is interrupted, the next one must shift times by the same amount.
    if (!before) checkpoint.save({ shiftMs, finished: false, progress });

    let batch: NumberedRow[] = [];
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

  private async record(request: ImportRequest, rows: readonly NumberedRow[], progress: ImportProgress): Promise<void> {
    const batch = request.createUsers ? await this.withUsers(request, rows, progress) : rows;
    if (batch.length === 0) return;
    const events = batch.map(({ mapped }) => mapped.event);
    const outcome = await this.usage.record(request.orgId, events, { limits: NO_TIME_LIMITS });
    progress.accepted += outcome.accepted;
    progress.duplicates += outcome.duplicates;
    progress.rejected += outcome.rejected.length;
    for (const refusal of outcome.rejected) {
      request.onRefusal?.(batch[refusal.index]?.row ?? 0, refusal.field, refusal.message);
    }
  }

  /** Creates the missing users of a batch. Refuses rows whose user is invalid, and returns the others. */
  private async withUsers(
    request: ImportRequest,
    rows: readonly NumberedRow[],
    progress: ImportProgress,
  ): Promise<NumberedRow[]> {
    const kept = rows.filter(({ row, mapped }) => {
      const defect = personDefect(mapped.person);
      if (!defect) return true;
      progress.rejected++;
      request.onRefusal?.(row, FIELD_OF_PERSON[defect.field], defect.message);
      return false;
    });
    const people = new Map(kept.map(({ mapped }) => [mapped.person.email, mapped.person]));
    if (people.size > 0) {
      await this.users.ensureMany(operatorActor(request.orgId, 'import'), [...people.values()]);
    }
    return kept;
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
