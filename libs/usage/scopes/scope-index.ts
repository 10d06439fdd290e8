import { readerOf, testOf, type ScopeMatch } from './scope-match.js';
import type { SpendSubject } from './subject.js';

/** Scope of a budget or limit: a single field, several conditions that must all hold, or the whole organization. */
export interface Scoped {
  readonly scope: string;
  readonly department: string | null;
  readonly userId: string | null;
  /** Name of a model, or a pattern with `*`, compared without case. */
  readonly model: string | null;
  /** Only with the scope `combined`. */
  readonly match?: ScopeMatch | null | undefined;
}

type Test = (subject: SpendSubject) => boolean;

interface Candidate<Item> {
  readonly item: Item;
  /** The conditions that the lookup has not checked yet. */
  readonly tests: readonly Test[];
}

interface Anchor<Item> {
  readonly read: (subject: SpendSubject) => string | null | undefined;
  readonly byValue: Map<string, Candidate<Item>[]>;
}

/** Fields in the order of preference: conditions are indexed under the field that probably has the most values. */
const PREFERENCE = ['user_id', 'token', 'project', 'department'];

const NO_TESTS: readonly Test[] = [];

/** The conditions of a scope; empty for the whole organization. */
export function conditionsOf({ match, department, userId, model }: Scoped): ScopeMatch {
  if (match) return match;
  return {
    ...(department === null ? {} : { department }),
    ...(userId === null ? {} : { user_id: userId }),
    ...(model === null ? {} : { model }),
  };
}

/**
 * Finds the budgets or limits that apply to a request. The cost of a lookup depends on the number of matching entries
 * and on the number of model patterns. If only entries for the whole organization apply, it allocates no memory.
 */
export class ScopeIndex<Item extends Scoped> {
  private readonly ofEverything: Item[] = [];
  private readonly anchors = new Map<string, Anchor<Item>>();
  private readonly ofPatterns: Candidate<Item>[] = [];
  private readonly anchorList: readonly Anchor<Item>[];

  constructor(items: readonly Item[]) {
    for (const item of items) this.add(item);
    this.anchorList = [...this.anchors.values()];
  }

  /** Returns the budgets or limits in which a request, or its usage, counts. */
  matching(subject: SpendSubject): readonly Item[] {
    let found: Item[] | undefined;
    for (const { read, byValue } of this.anchorList) {
      const value = read(subject);
      const candidates = value === null || value === undefined ? undefined : byValue.get(value);
      if (!candidates) continue;
      for (const candidate of candidates) {
        if (passes(candidate, subject)) (found ??= [...this.ofEverything]).push(candidate.item);
      }
    }
    for (const candidate of this.ofPatterns) {
      if (passes(candidate, subject)) (found ??= [...this.ofEverything]).push(candidate.item);
    }
    return found ?? this.ofEverything;
  }

  private add(item: Item): void {
    const conditions = Object.entries(conditionsOf(item));
    if (conditions.length === 0) {
      this.ofEverything.push(item);
      return;
    }
    const fields = conditions.map(([field]) => field);
    const isPattern = (field: string): boolean =>
      field === 'model' && (conditionsOf(item)['model'] ?? '').includes('*');
    const anchored = PREFERENCE.find(field => fields.includes(field)) ?? fields.find(field => !isPattern(field));
    const rest = conditions.filter(([field]) => field !== anchored);
    const tests = rest.length === 0 ? NO_TESTS : rest.map(([field, value]) => testOf(field, value));
    if (anchored === undefined) {
      this.ofPatterns.push({ item, tests });
      return;
    }
    const [, value = ''] = conditions.find(([field]) => field === anchored) ?? [];
    const { byValue } = this.anchorOf(anchored);
    const key = anchored === 'model' ? value.trim().toLowerCase() : value;
    const list = byValue.get(key);
    if (list) list.push({ item, tests });
    else byValue.set(key, [{ item, tests }]);
  }

  private anchorOf(field: string): Anchor<Item> {
    let anchor = this.anchors.get(field);
    if (!anchor) this.anchors.set(field, (anchor = { read: readerOf(field), byValue: new Map() }));
    return anchor;
  }
}

function passes<Item>({ tests }: Candidate<Item>, subject: SpendSubject): boolean {
  for (const test of tests) if (!test(subject)) return false;
  return true;
}
