import type { RequestOptions } from './client.js';

/** One page of a list. */
interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/**
 * All entries of a list, page by page: `for await (const user of iterate(client.listUsers, { limit: 100 }))`. Requests
 * the next page when all entries of the previous one have been read.
 */
export async function* iterate<Query extends object | undefined, Item>(
  list: (input: Query, options?: RequestOptions) => Promise<Page<Item> | string>,
  input: NoInfer<NonNullable<Query>>,
  options: RequestOptions = {},
): AsyncGenerator<Item, void, undefined> {
  let asked: Query = input;
  for (;;) {
    const page = await list(asked, options);
    if (typeof page === 'string') throw new TypeError('A list is iterated as JSON: leave out `accept`');
    yield* page.items;
    if (page.next_cursor === null) return;
    asked = { ...input, cursor: page.next_cursor };
  }
}
