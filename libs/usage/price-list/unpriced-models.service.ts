import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, SCHEMA, sqlOf, type CustomList } from '#database';
import { formatCalendarDate, type DateRange } from '../periods/index.js';

/** A model that was used and has no known price. Counts are text, so that they stay exact. */
export interface UnpricedModel {
  provider: string;
  model: string;
  unpriced_requests: string;
  /** First day with a request without a price, `YYYY-MM-DD`, UTC. */
  first_day: string;
  last_day: string;
  /** All tokens of the users who made requests without a price, on the days of these requests. */
  input_tokens: string;
  output_tokens: string;
}

// A partial index contains only the days with unpriced requests, in the order of the list. These settings make
// PostgreSQL read the groups one after the other in this order, and stop when the page is full.
const READ_IN_ORDER = `select set_config('enable_hashagg', 'off', true), set_config('enable_sort', 'off', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)`;

const UNPRICED = `from ${SCHEMA}.usage_daily
where org_id = $1 and unpriced_requests > 0 and day >= coalesce($2::date, '-infinity')
  and day < coalesce($3::date, 'infinity')`;

const GROUPS = `select provider, model ${UNPRICED} group by provider, model order by provider, model`;

const PAGE = `
select provider, model, sum(unpriced_requests)::text as unpriced_requests,
  to_char(min(day), 'YYYY-MM-DD') as first_day, to_char(max(day), 'YYYY-MM-DD') as last_day,
  sum(input_tokens)::text as input_tokens, sum(output_tokens)::text as output_tokens
${UNPRICED} and (provider, model) > ($4::text, $5::text)
group by provider, model order by provider, model limit $6`;

/** Lists used models that have a price neither in the catalogue nor in the organization's price list. */
@Injectable()
export class UnpricedModels {
  constructor(private readonly lists: KeysetLists) {}

  /** By provider and model, in the order of code points. @throws BadRequestError if the cursor is not valid here. */
  list<Item>(
    orgId: string,
    range: DateRange,
    query: PageQuery,
    show: (model: UnpricedModel) => Item,
  ): Promise<Page<Item>> {
    const from = range.from && formatCalendarDate(range.from);
    const until = range.until && formatCalendarDate(range.until);
    const list: CustomList<UnpricedModel> = {
      name: 'unpriced-models',
      filters: { from, until },
      counted: { sql: GROUPS, parameters: [orgId, from, until] },
      position: ({ provider, model }) => [provider, model],
      async read(em, { limit, after }) {
        await sqlOf(em).query(READ_IN_ORDER);
        // Providers and models are never empty, so a pair of empty texts lies before the first row.
        const [provider, model] = after ?? ['', ''];
        return sqlOf(em).query(PAGE, [orgId, from, until, provider, model, limit]);
      },
    };
    return this.lists.page(orgId, query, list, show);
  }
}
