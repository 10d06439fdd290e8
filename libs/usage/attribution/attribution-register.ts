import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, Clock, type DimensionRefusal, type SqlTransaction } from '#core';
import { OrgDatabase, SCHEMA, sqlOf, textArray, plainArray } from '#database';
import { attributionId, attributionText, shared, type Attribution } from './attribution.js';
import {
  bounded,
  boundOf,
  collapsed,
  DIMENSION_BOUNDS,
  valuesOf,
  type Bounded,
  type DimensionValue,
} from './dimension-bounds.js';
import { tagsText } from '#core';

/** An attribution in the form in which reports count it. */
export interface StoredAttribution {
  readonly id: string;
  /** The attribution without the token. */
  readonly sharedId: string;
  /** Values that count as `(other)`, for the answer to the sender. */
  readonly notes: readonly DimensionRefusal[];
}

/** The attribution of one usage event. */
export interface AttributedUse extends Attribution {
  readonly model: string;
  readonly provider: string;
}

// Transactions that add values for one organization run one after another. Otherwise, two transactions could exceed a
// bound together.
const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance.usage_dimensions:' || $1, 0))::text`;

const KNOWN_VALUES = `
select v.dimension, v.value from ${SCHEMA}.usage_dimension_values v
join unnest($2::text[], $3::text[]) as asked (dimension, value) on v.dimension = asked.dimension and v.value = asked.value
where v.org_id = $1`;

const COUNTS = `
select d.dimension, (select count(*) from ${SCHEMA}.usage_dimension_values v
  where v.org_id = $1 and v.dimension = d.dimension)::integer as count
from unnest($2::text[]) as d (dimension)`;

const ADD_VALUES = `
insert into ${SCHEMA}.usage_dimension_values (org_id, dimension, value, first_seen)
select $1::uuid, v.dimension, v.value, $4::timestamptz from unnest($2::text[], $3::text[]) as v (dimension, value)
on conflict do nothing`;

const KNOWN_ATTRIBUTIONS = `select id::text from ${SCHEMA}.usage_attributions where org_id = $1 and id = any($2::uuid[])`;

const COUNT_ATTRIBUTIONS = `
select count(*)::integer as count from ${SCHEMA}.usage_attributions where org_id = $1 and token_id is null`;

const ADD_ATTRIBUTIONS = `
insert into ${SCHEMA}.usage_attributions (org_id, id, shared_id, department, project, tags, token_id)
select $1::uuid, a.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::uuid[]) as a
on conflict do nothing`;

/** Maximum number of attributions and values that a process caches for all organizations together: about 20 MB. */
const CACHE_SIZE = 50_000;

/** Stores the values by which reports group usage, limits their number, and assigns an id to each combination. */
@Injectable()
export class AttributionRegister {
  private readonly attributions = new LRUCache<string, StoredAttribution>(boundedBy(CACHE_SIZE));
  private readonly values = new LRUCache<string, true>(boundedBy(CACHE_SIZE));

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /** Returns the attribution of each usage, in order. New values are committed before the promise resolves. */
  async admit(orgId: string, uses: readonly AttributedUse[]): Promise<StoredAttribution[]> {
    const texts = uses.map(use => `${orgId}\0${attributionText(use)}`);
    const answers = texts.map(text => this.attributions.get(text));
    const missing = new Map<string, Attribution>();
    for (const [at, use] of uses.entries()) {
      const text = texts[at];
      if (answers[at] === undefined && text !== undefined) missing.set(text, use);
    }
    const names = this.unknownNames(orgId, uses);
    if (missing.size > 0 || names.length > 0) {
      const added = await this.database.transaction(orgId, em => this.add(sqlOf(em), orgId, missing, names));
      for (const [text, attribution] of added) this.attributions.set(text, attribution);
      for (const { dimension, value } of names) this.values.set(`${orgId}\0${dimension}\0${value}`, true);
      return texts.map((text, at) => required(answers[at] ?? added.get(text)));
    }
    return answers.map(required);
  }

  /** Models and providers that this process has not seen yet. */
  private unknownNames(orgId: string, uses: readonly AttributedUse[]): DimensionValue[] {
    const unknown = new Map<string, DimensionValue>();
    for (const { model, provider } of uses) {
      for (const named of [
        { dimension: 'model', value: model },
        { dimension: 'provider', value: provider },
      ]) {
        const key = `${orgId}\0${named.dimension}\0${named.value}`;
        if (!this.values.has(key)) unknown.set(key, named);
      }
    }
    return [...unknown.values()];
  }

  private async add(
    tx: SqlTransaction,
    orgId: string,
    missing: ReadonlyMap<string, Attribution>,
    names: readonly DimensionValue[],
  ): Promise<Map<string, StoredAttribution>> {
    await tx.query(LOCK, [orgId]);
    const asked = [...names, ...[...missing.values()].flatMap(valuesOf)];
    const isKnown = await addValues(tx, orgId, asked, this.clock.now());
    const wanted = [...missing].map(([text, attribution]) => ({ text, counted: bounded(attribution, isKnown) }));
    return addAttributions(tx, orgId, wanted);
  }
}

/** Adds values as long as their number is below the bound. Returns the values that reports distinguish. */
async function addValues(
  tx: SqlTransaction,
  orgId: string,
  asked: readonly DimensionValue[],
  now: Date,
): Promise<(value: DimensionValue) => boolean> {
  const keyOf = ({ dimension, value }: DimensionValue) => `${dimension}\0${value}`;
  const distinct = new Map(asked.map(value => [keyOf(value), value]));
  const rows = await tx.query<DimensionValue & object>(KNOWN_VALUES, [orgId, ...columnsOf([...distinct.values()])]);
  const known = new Set(rows.map(keyOf));
  const fresh = [...distinct.values()].filter(value => !known.has(keyOf(value)));
  const room = await roomFor(tx, orgId, fresh);
  const added = fresh.filter(({ dimension }) => {
    const left = room.get(dimension);
    if (left === undefined) return true;
    room.set(dimension, left - 1);
    return left > 0;
  });
  if (added.length > 0) await tx.query(ADD_VALUES, [orgId, ...columnsOf(added), now.toISOString()]);
  for (const value of added) known.add(keyOf(value));
  return value => known.has(keyOf(value));
}

async function roomFor(
  tx: SqlTransaction,
  orgId: string,
  fresh: readonly DimensionValue[],
): Promise<Map<string, number>> {
  const dimensions = [...new Set(fresh.map(({ dimension }) => dimension))].filter(name => boundOf(name) !== undefined);
  if (dimensions.length === 0) return new Map();
  const rows = await tx.query<{ dimension: string; count: number }>(COUNTS, [
    orgId,
    textArray(dimensions, name => name),
  ]);
  return new Map(rows.map(({ dimension, count }) => [dimension, (boundOf(dimension) ?? 0) - count]));
}

interface Wanted {
  readonly text: string;
  readonly counted: Bounded;
}

async function addAttributions(
  tx: SqlTransaction,
  orgId: string,
  wanted: readonly Wanted[],
): Promise<Map<string, StoredAttribution>> {
  const idOf = (attribution: Attribution) => attributionId(attributionText(attribution));
  const ids = [...new Set(wanted.map(({ counted }) => idOf(shared(counted.attribution))))];
  const rows = await tx.query<{ id: string }>(KNOWN_ATTRIBUTIONS, [orgId, plainArray(ids, id => id)]);
  const known = new Set(rows.map(({ id }) => id));
  let room = Number.POSITIVE_INFINITY;
  if (ids.some(id => !known.has(id))) {
    const [row] = await tx.query<{ count: number }>(COUNT_ATTRIBUTIONS, [orgId]);
    room = DIMENSION_BOUNDS.combinations - (row?.count ?? 0);
  }
  const answers = new Map<string, StoredAttribution>();
  const stored = new Map<string, Attribution & { sharedId: string }>();
  for (const { text, counted } of wanted) {
    const hasRoom = known.has(idOf(shared(counted.attribution))) || counted.attribution.tags === null || room > 0;
    const { attribution, notes } = hasRoom ? counted : collapsed(counted);
    const common = shared(attribution);
    const [id, sharedId] = [idOf(attribution), idOf(common)];
    if (!known.has(sharedId)) room--;
    known.add(sharedId);
    stored.set(id, { ...attribution, sharedId }).set(sharedId, { ...common, sharedId });
    answers.set(text, { id, sharedId, notes });
  }
  await tx.query(ADD_ATTRIBUTIONS, [orgId, ...attributionColumns([...stored])]);
  return answers;
}

function columnsOf(values: readonly DimensionValue[]): string[] {
  return [textArray(values, ({ dimension }) => dimension), textArray(values, ({ value }) => value)];
}

function attributionColumns(rows: readonly (readonly [string, Attribution & { sharedId: string }])[]): string[] {
  return [
    plainArray(rows, ([id]) => id),
    plainArray(rows, ([, { sharedId }]) => sharedId),
    textArray(rows, ([, { department }]) => department),
    textArray(rows, ([, { project }]) => project),
    textArray(rows, ([, { tags }]) => tagsText(tags)),
    plainArray(rows, ([, { tokenId }]) => tokenId),
  ];
}

function required(found: StoredAttribution | undefined): StoredAttribution {
  if (!found) throw new Error('The new attribution was not found.');
  return found;
}
