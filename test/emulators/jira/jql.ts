/** The properties of an issue that a query tests. */
export interface Searchable {
  readonly key: string;
  readonly labels: readonly string[];
  readonly summary: string;
  readonly description: string;
}

type Test = (issue: Searchable) => boolean;

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|\(|\)|!=|=|~|,|[^\s()=~,"]+)/gy;

/**
 * A small subset of JQL: `labels`, `key`, `text`, `description` and `summary` with `=`, `in` and `~`, joined by `AND`
 * and `OR` with parentheses. The caller handles `ORDER BY` (https://support.atlassian.com/jira-software-cloud/docs,
 * "JQL").
 *
 * @throws Error with a message of Jira
 */
export function jqlTest(jql: string): Test {
  const [where = ''] = jql.split(/\s*\bORDER BY\b/i);
  if (where.trim() === '') throw new Error('Unbounded JQL queries are not allowed here.');
  const tokens = [...where.matchAll(TOKEN)].map(([, token = '']) => token);
  const reader = new Reader(tokens);
  const test = reader.any();
  reader.end();
  return test;
}

class Reader {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  any(): Test {
    const parts = [this.all()];
    while (this.takes('or')) parts.push(this.all());
    return issue => parts.some(part => part(issue));
  }

  end(): void {
    if (this.at < this.tokens.length) this.fail();
  }

  private all(): Test {
    const parts = [this.one()];
    while (this.takes('and')) parts.push(this.one());
    return issue => parts.every(part => part(issue));
  }

  private one(): Test {
    if (this.takes('(')) {
      const inner = this.any();
      if (!this.takes(')')) this.fail();
      return inner;
    }
    const [field, operator] = [this.next().toLowerCase(), this.next().toLowerCase()];
    const values = operator === 'in' ? this.list() : [unquoted(this.next())];
    if (operator === '~' && (field === 'description' || field === 'summary')) {
      return issue => contains(issue[field], values[0] ?? '');
    }
    if (operator === '~' && field === 'text') {
      return ({ summary, description }) => contains(`${summary}\n${description}`, values[0] ?? '');
    }
    if (operator !== '=' && operator !== 'in') this.fail();
    if (field === 'labels') return ({ labels }) => values.some(value => labels.includes(value));
    if (field === 'key' || field === 'issuekey') return ({ key }) => values.includes(key);
    throw new Error(`Field '${field}' does not exist or you do not have permission to view it.`);
  }

  private list(): string[] {
    if (!this.takes('(')) this.fail();
    const values = [unquoted(this.next())];
    while (this.takes(',')) values.push(unquoted(this.next()));
    if (!this.takes(')')) this.fail();
    return values;
  }

  private takes(token: string): boolean {
    if (this.tokens[this.at]?.toLowerCase() !== token) return false;
    this.at += 1;
    return true;
  }

  private next(): string {
    const token = this.tokens[this.at];
    this.at += 1;
    return token ?? this.fail();
  }

  private fail(): never {
    throw new Error(`Error in the JQL Query: expecting something else near '${this.tokens[this.at] ?? 'the end'}'.`);
  }
}

function unquoted(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/g, '$1') : token;
}

/** Words in any order, or a phrase in quotation marks. */
function contains(text: string, wanted: string): boolean {
  const words = (each: string): string => ` ${(each.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
  const phrase = /^"(.*)"$/s.exec(wanted)?.[1];
  if (phrase !== undefined) return words(text).includes(words(phrase));
  return words(wanted)
    .trim()
    .split(' ')
    .every(word => words(text).includes(` ${word} `));
}
