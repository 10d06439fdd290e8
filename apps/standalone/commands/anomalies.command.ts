import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { evaluatePeople, evaluateSeries, openAnomalyFile } from 'nest-llm-governance/anomalies';
import { bytesOf } from './input-file.js';
import { JSON_OPTION } from './output.js';

const COLUMNS = {
  series: ['file', 'timestamp', 'score', 'alarm'],
  people: ['person', 'date', 'rule', 'observed', 'expected_low', 'expected_high'],
};

/** `anomalies evaluate`: runs the detectors over a file. Needs no database. */
export function anomaliesCommand(): Command {
  const evaluate = new Command('evaluate')
    .description('run the anomaly detectors over a CSV file, each line judged by earlier ones only; needs no database')
    .argument('<file>', 'CSV file, plain or .gz, with the header file,timestamp,value or person,date,hour,count')
    .option(...JSON_OPTION)
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const { kind, rows } = await openAnomalyFile(bytesOf(path));
      const verdicts = kind === 'series' ? evaluateSeries(rows) : evaluatePeople(rows);
      const text = json ? asJson(kind, verdicts) : asCsv(COLUMNS[kind], verdicts);
      await pipeline(Readable.from(text), process.stdout, { end: false });
    });
  return new Command('anomalies').description('unusual usage').addCommand(evaluate);
}

async function* asCsv(columns: readonly string[], verdicts: AsyncIterable<object>): AsyncGenerator<string> {
  yield stringify([[...columns]]);
  let pending: object[] = [];
  for await (const verdict of verdicts) {
    pending.push(verdict);
    if (pending.length < 1_000) continue;
    yield stringify(pending, { columns: [...columns] });
    pending = [];
  }
  yield stringify(pending, { columns: [...columns] });
}

async function* asJson(kind: string, verdicts: AsyncIterable<object>): AsyncGenerator<string> {
  yield `{"kind":${JSON.stringify(kind)},"verdicts":[`;
  let separator = '';
  for await (const verdict of verdicts) {
    yield `${separator}${JSON.stringify(verdict)}`;
    separator = ',';
  }
  yield ']}\n';
}
