import { pageFetch } from './call.ts';

/** Saves what an address of the API answers as CSV: the page adds and removes nothing. */
export async function saveRoute(address: string, name: string): Promise<void> {
  save(await (await pageFetch(address, { headers: { Accept: 'text/csv' } })).blob(), name);
}

/** Saves a text as a CSV file. */
export function saveCsv(text: string, name: string): void {
  save(new Blob([text], { type: 'text/csv' }), name);
}

/**
 * The header of a list as CSV, and its rows of some ids in their order. The rows stay as the API wrote them. The id is
 * the first column.
 */
export function rowsOf(csv: string, ids: readonly string[]): string {
  const [header = '', ...rows] = csv.match(RECORD) ?? [];
  const byId = new Map(rows.map(row => [row.slice(0, row.indexOf(',')), row]));
  return header + ids.map(id => byId.get(id) ?? '').join('');
}

/** A row with its line end. A quoted cell may have line ends of its own. */
const RECORD = /(?:"[^"]*"|[^"\n])*\n/g;

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` }).click();
  // The download has begun when this runs.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
