import { readerOf, testOf, type ScopeMatch } from './scope-match.js';
import type { SpendSubject } from './subject.js';

/** What counts against something: one field, all of some conditions, or everything in the organization. */
export interface Scoped {
  readonly scope: string;
  readonly department: string | null;
  readonly userId: string | null;
  /** Name or pattern with `*`, compared without case. */
  readonly model: string | null;
  /** Only with the scope `combined`. */
  readonly match?: ScopeMatch | null | undefined;
}

type Test = (subject: SpendSubject) => boolean;

interface Candidate<Item> {
  readonly item: Item;
  /** What the lookup has not answered. */
  readonly tests: readonly Test[];
}

interface Anchor<Item> {
  readonly read: (subject: SpendSubject) => string | null | undefined;
  readonly byValue: Map<string, Candidate<Item>[]>;
}

/** The field by which a conjunction is found: the one that is likely to have the most values. */
const PREFERENCE = ['user_id', 'token', 'project', 'department'];

const NO_TESTS: readonly Test[] = [];

/** The conditions of a scope; none where everything counts. */
export function conditionsOf({ match, department, userId, model }: Scoped): ScopeMatch {
  if (match) return match;
  return {
    ...(department === null ? {} : { department }),
    ...(userId === null ? {} : { user_id: userId }),
    ...(model === null ? {} : { model }),
  };
}

/**
 * Finds what concerns a request: what a lookup costs depends on how many apply, and on those for patterns of models.
 * Nothing is allocated where only what concerns everything applies.
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

  /** What a request or its usage counts against. */
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
