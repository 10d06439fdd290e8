import { pageFetch } from './call.ts';

/** Saves the CSV answer of an API route unchanged. */
export async function saveRoute(address: string, name: string): Promise<void> {
  save(await (await pageFetch(address, { headers: { Accept: 'text/csv' } })).blob(), name);
}

/** Saves a text as a CSV file. */
export function saveCsv(text: string, name: string): void {
  save(new Blob([text], { type: 'text/csv' }), name);
}

/**
 * From the CSV of a list, returns the header and the rows with the given ids, in the order of the ids. The rows stay
 * unchanged. The first column must be the id.
 */
export function rowsOf(csv: string, ids: readonly string[]): string {
  const [header = '', ...rows] = csv.match(RECORD) ?? [];
  const byId = new Map(rows.map(row => [row.slice(0, row.indexOf(',')), row]));
  return header + ids.map(id => byId.get(id) ?? '').join('');
}

/** Matches a row including its line end. A quoted cell may contain line ends. */
const RECORD = /(?:"[^"]*"|[^"\n])*\n/g;

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` }).click();
  // At this point, the download has started and the address is not needed any more.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
