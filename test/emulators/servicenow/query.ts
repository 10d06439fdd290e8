/** The fields of a record by name. All values are texts. */
export type TableRecord = Record<string, string>;

/** A condition such as `name=value`. `^` separates conditions in `sysparm_query`. */
const TERM = /^(\w+)(!=|>=|<=|=|>|<|STARTSWITH|ENDSWITH|NOT LIKE|LIKE|IN|ISNOTEMPTY|ISEMPTY)(.*)$/s;

type Test = (record: TableRecord) => boolean;

/**
 * Encoded queries of the platform. `^` means AND; `^OR` means OR with the term before it. `^NQ` begins another query,
 * whose records are added. `ORDERBY` and `ORDERBYDESC` sort. A term that is invalid or names an unknown field is
 * ignored, so a query with only such terms returns everything.
 */
export function runQuery(records: readonly TableRecord[], query: string, fields: ReadonlySet<string>): TableRecord[] {
  const found = query.split('^NQ').flatMap(part => {
    const tests = testsOf(part, fields);
    return records.filter(record => tests.every(all => all.some(test => test(record))));
  });
  const distinct = [...new Set(found)];
  for (const [, direction, field = ''] of query.matchAll(/(?:^|\^)(ORDERBYDESC|ORDERBY)(\w+)/g)) {
    const sign = direction === 'ORDERBYDESC' ? -1 : 1;
    distinct.sort((a, b) => sign * (a[field] ?? '').localeCompare(b[field] ?? ''));
  }
  return distinct;
}

function testsOf(part: string, fields: ReadonlySet<string>): Test[][] {
  const groups: Test[][] = [];
  for (const term of part.split('^')) {
    const isOr = /^OR(?!DERBY)/.test(term);
    const test = testOf(isOr ? term.slice(2) : term, fields);
    if (test === undefined) continue;
    const last = groups.at(-1);
    if (isOr && last) last.push(test);
    else groups.push([test]);
  }
  return groups;
}

function testOf(term: string, fields: ReadonlySet<string>): Test | undefined {
  const [, field = '', operator = '', wanted = ''] = TERM.exec(term) ?? [];
  if (!fields.has(field)) return undefined;
  const value = wanted.toLowerCase();
  const of = (record: TableRecord): string => (record[field] ?? '').toLowerCase();
  const tests: Record<string, Test> = {
    '=': record => of(record) === value,
    '!=': record => of(record) !== value,
    '>': record => of(record) > value,
    '<': record => of(record) < value,
    '>=': record => of(record) >= value,
    '<=': record => of(record) <= value,
    STARTSWITH: record => of(record).startsWith(value),
    ENDSWITH: record => of(record).endsWith(value),
    LIKE: record => of(record).includes(value),
    'NOT LIKE': record => !of(record).includes(value),
    IN: record => value.split(',').includes(of(record)),
    ISEMPTY: record => of(record) === '',
    ISNOTEMPTY: record => of(record) !== '',
  };
  return tests[operator];
}
