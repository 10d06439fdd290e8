import { pageFetch } from './call.ts';

/** Saves what an address of the API answers as CSV: the page adds and removes nothing. */
export async function saveRoute(address: string, name: string): Promise<void> {
  save(await (await pageFetch(address, { headers: { Accept: 'text/csv' } })).blob(), name);
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` }).click();
  // The download has begun when this runs.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
