import { callAs, pageFetch, type InputOf, type Operation } from './call.ts';

/** Saves what the API answers as CSV to exactly this query: the page adds and removes nothing. */
export async function saveCsv<O extends Operation>(operation: O, input: InputOf<O>, name: string): Promise<void> {
  save(new Blob([String(await callAs(operation, input, 'text/csv'))]), name);
}

/** The same for an address of the API. */
export async function saveRoute(address: string, name: string): Promise<void> {
  save(await (await pageFetch(address, { headers: { Accept: 'text/csv' } })).blob(), name);
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` }).click();
  // The download has begun when this runs.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
