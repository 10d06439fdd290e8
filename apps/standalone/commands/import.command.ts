import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { TIME_FORMATS, UsageImporter, type ImportProgress, type TimeFormat } from 'nest-llm-governance';
import { readConfig } from '../config.js';
import { importUsersCommand } from './import-users.command.js';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

interface ImportFlags {
  org: string;
  field: Record<string, string>;
  timeFormat: TimeFormat;
  timeOrigin?: Date;
  shiftToNow?: boolean;
  createUsers?: boolean;
  json?: boolean;
}

const SHOWN_REFUSALS = 10;

/** `import`: `usage` imports a table with one event per row; `users` imports people. */
export function importCommand(): Command {
  const usage = new Command('usage')
    .description('import usage from a CSV file, plain or .gz; importing a file again changes nothing')
    .argument('<file>', 'CSV file with a header line')
    .requiredOption('--org <id>', 'id of the organization')
    .option(
      '--field <field=template>',
      'what a field of the event is made of: {column} takes a column, anything else is constant; repeat it',
      collectField,
      {},
    )
    .addOption(new Option('--time-format <format>', 'how occurred_at is written').choices(TIME_FORMATS).default('iso'))
    .option('--time-origin <time>', 'what counted times count from (default: 1970)', readOrigin)
    .option('--shift-to-now', 'move all times so that the last row happens now')
    .option('--create-users', 'create the users that rows name and the organization lacks')
    .option(...JSON_OPTION)
    .action(runImport);
  return new Command('import')
    .description('bring in history and people')
    .addCommand(usage)
    .addCommand(importUsersCommand());
}

async function runImport(path: string, flags: ImportFlags): Promise<void> {
  await withGovernance(async app => {
    let refusals = 0;
    const result = await app.get(UsageImporter).import({
      path,
      orgId: flags.org,
      fields: flags.field,
      timeFormat: flags.timeFormat,
      ...(flags.timeOrigin ? { timeOrigin: flags.timeOrigin } : {}),
      shiftToNow: flags.shiftToNow ?? false,
      createUsers: flags.createUsers ?? false,
      checkpoints: join(readConfig().dataDir, 'imports'),
      onProgress: showProgress,
      onRefusal(row, field, message) {
        if (++refusals <= SHOWN_REFUSALS) process.stderr.write(`\nrow ${row}: ${field} ${message}\n`);
      },
    });
    process.stderr.write('\n');
    const { rows, accepted, duplicates, rejected, empty } = result;
    print(flags.json, { rows, accepted, duplicates, rejected, empty }, [
      `${rows} rows: ${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected, ${empty} without requests`,
    ]);
  });
}

function showProgress({ rows }: ImportProgress, total: number): void {
  if (!process.stderr.isTTY) return;
  const share = total === 0 ? 1 : rows / total;
  const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '░');
  process.stderr.write(`\r${bar} ${Math.round(share * 100)} %  ${rows} of ${total} rows`);
}

function collectField(text: string, fields: Record<string, string>): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('write field=template, such as model={model}');
  return { ...fields, [text.slice(0, equals)]: text.slice(equals + 1) };
}

function readOrigin(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('write a time, such as 2026-01-01T00:00:00Z');
  return date;
}
