import { Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, sqlOf, textArray } from '#database';

/** The values of one dimension that occur in usage. */
export interface Facet {
  readonly of: string;
  /** The values in the order of code points; at most 1,000. */
  readonly values: readonly string[];
  /** Whether the dimension has more values. */
  readonly hasMore: boolean;
}

/** Maximum number of values in one facet. */
const FACET_VALUES_MAX = 1_000;

// The primary key contains the values in order, so each dimension is one short range scan.
const VALUES = `
select d.dimension, v.value from unnest($2::text[]) with ordinality as d (dimension, place)
cross join lateral (
  select value from ${SCHEMA}.usage_dimension_values v where v.org_id = $1 and v.dimension = d.dimension
  order by value limit ${FACET_VALUES_MAX + 1}) v
order by d.place, v.value`;

/** Lists the values by which usage can be filtered. */
@Injectable()
export class UsageFacets {
  constructor(private readonly database: OrgDatabase) {}

  /**
   * Returns the values of the named dimensions: `model`, `provider`, `department`, `project`, `tag` for the keys of
   * tags, `tag:<key>` for the values of one key.
   */
  async of(orgId: string, dimensions: readonly string[]): Promise<Facet[]> {
    const rows = await this.database.transaction(orgId, em =>
      sqlOf(em).query<{ dimension: string; value: string }>(VALUES, [orgId, textArray(dimensions, name => name)]),
    );
    return dimensions.map(of => {
      const values = rows.filter(({ dimension }) => dimension === of).map(({ value }) => value);
      return { of, values: values.slice(0, FACET_VALUES_MAX), hasMore: values.length > FACET_VALUES_MAX };
    });
  }
}
