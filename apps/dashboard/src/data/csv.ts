import { callAs, type InputOf, type Operation } from './call.ts';

/** Saves what the API answers as CSV to exactly this query: the page adds and removes nothing. */
export async function saveCsv<O extends Operation>(operation: O, input: InputOf<O>, name: string): Promise<void> {
  const text = await callAs(operation, input, 'text/csv');
  const address = URL.createObjectURL(new Blob([String(text)], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` });
  link.click();
  // The download has begun when the next task runs.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
