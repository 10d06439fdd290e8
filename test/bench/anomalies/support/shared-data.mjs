import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const folder = process.env.BENCH_DATA ?? '../shared/data';

/** The lines of a CSV file of the shared data as arrays of cells, without the header. Null if the data is missing. */
export function sharedCsv(name) {
  const path = join(folder, name);
  if (!existsSync(path)) return null;
  const text = gunzipSync(readFileSync(path)).toString('utf8').trim();
  return text
    .split('\n')
    .slice(1)
    .map(line => line.split(','));
}

/** A JSON file of the shared data. */
export function sharedJson(name) {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}
