import type { Attribute } from './attributes.js';
import { Column, type Group } from './column.js';
import type { Demand } from './demand.js';
import { PositionSpace } from './position-set.js';

/**
 * Maximum number of indexed attributes. Few organizations use more. Demands on other attributes are tested for the
 * remaining candidates.
 */
const COLUMNS_MAX = 16;
/** Maximum memory for cached sets of one organization. It is divided evenly among the columns. */
const SETS_BYTES_MAX = 8 * 1024 * 1024;
const SETS_PER_COLUMN_MAX = 4096;

/** The index over the demands of all policies. Policies are identified by their rank, 0 … size-1. */
export interface PolicyIndex {
  readonly space: PositionSpace;
  readonly columns: readonly { readonly attribute: Attribute; readonly column: Column }[];
  /** The rank of each policy, by its position in the sets. */
  readonly rankAt: Int32Array;
  /** Whether the index contains the demands on this attribute. */
  covers(attribute: Attribute): boolean;
}

interface ColumnPlan {
  readonly attribute: Attribute;
  readonly ranksByDemand: Map<Demand, number[]>;
  uses: number;
  selective: number;
}

/**
 * Builds the index. Positions are ordered by precedence, so the first position of an intersection determines the
 * action. Within one precedence, policies with the same requirements on the most selective attributes have adjacent
 * positions. Most words of most sets are then empty, and an intersection skips them.
 */
export function buildIndex(
  demands: readonly (readonly Demand[])[],
  precedenceOf: (rank: number) => number,
): PolicyIndex {
  const plans = planColumns(demands);
  const rankAt = clustered(
    plans,
    Int32Array.from(demands, (_, rank) => precedenceOf(rank)),
  );
  const positionOf = new Int32Array(rankAt.length);
  rankAt.forEach((rank, position) => (positionOf[rank] = position));
  const space = new PositionSpace(rankAt.length);
  const affordable = Math.floor(SETS_BYTES_MAX / Math.max(1, space.bytes * plans.length));
  const capacity = Math.max(1, Math.min(SETS_PER_COLUMN_MAX, affordable));
  const columns = plans.map(({ attribute, ranksByDemand }) => {
    const groups = [...ranksByDemand].map(([{ predicate }, ranks]): Group => ({
      predicate,
      positions: ranks.map(rank => positionOf[rank] ?? 0),
    }));
    return { attribute, column: new Column(space, groups, capacity) };
  });
  const covered = new Set(plans.map(({ attribute }) => attribute.name));
  return { space, columns, rankAt, covers: ({ name }) => covered.has(name) };
}

function planColumns(demands: readonly (readonly Demand[])[]): ColumnPlan[] {
  const plans = new Map<string, ColumnPlan>();
  demands.forEach((ofPolicy, rank) => {
    for (const demand of ofPolicy) {
      if (!demand.indexed) continue;
      const { attribute, predicate } = demand;
      let plan = plans.get(attribute.name);
      if (!plan) plans.set(attribute.name, (plan = { attribute, ranksByDemand: new Map(), uses: 0, selective: 0 }));
      const ranks = plan.ranksByDemand.get(demand);
      if (ranks) ranks.push(rank);
      else plan.ranksByDemand.set(demand, [rank]);
      plan.uses++;
      if (!predicate.otherwise) plan.selective++;
    }
  });
  const kept = [...plans.values()].sort((a, b) => b.uses - a.uses).slice(0, COLUMNS_MAX);
  return kept.sort((a, b) => b.selective - a.selective);
}

function clustered(plans: readonly ColumnPlan[], precedences: Int32Array): Int32Array {
  const columns = plans.map(({ ranksByDemand }) => {
    const key = new Int32Array(precedences.length);
    [...ranksByDemand.values()].forEach((ranks, group) => ranks.forEach(rank => (key[rank] = group + 1)));
    return key;
  });
  const keys: Int32Array[] = [precedences, ...columns];
  return precedences
    .map((_, rank) => rank)
    .sort((a, b) => {
      for (const key of keys) {
        const order = (key[a] ?? 0) - (key[b] ?? 0);
        if (order !== 0) return order;
      }
      return a - b;
    });
}
