import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject, ServiceTier } from '#core';
import { OrgRecord } from '#database';
import { usdToPico, type ModelAlias, type PriceOverride } from '../prices/index.js';

/** Content of a price record: an agreed price, or a custom name for a catalogue model. */
export type PriceTerms = PriceOverrideTerms | PriceAliasTerms;

/** An agreed price, in US dollars per million tokens as decimal text. */
export interface PriceOverrideTerms {
  kind: 'price';
  provider: string | null;
  model: string;
  input: string;
  output: string;
  cacheRead: string | null;
  cacheWrite: string | null;
  reasoning: string | null;
  serviceTier: ServiceTier;
  /** Null for every region. */
  region: string | null;
  effectiveFrom: Date | null;
}

/** An organization's own name for a catalogue model. */
export interface PriceAliasTerms {
  kind: 'alias';
  provider: string | null;
  model: string;
  targetProvider: string;
  targetModel: string;
}

/** One entry of an organization's own price list. */
@Entity({ tableName: 'prices', schema: 'governance' })
export class PriceRecord extends OrgRecord {
  @Property({ type: 'text' })
  kind!: PriceTerms['kind'];

  /** Null for every provider. */
  @Property({ type: 'text', nullable: true })
  provider: string | null = null;

  /** Model name, or a pattern with `*`. */
  @Property({ type: 'text' })
  model!: string;

  @Property({ type: 'decimal', nullable: true })
  inputPerMillionUsd: string | null = null;

  @Property({ type: 'decimal', nullable: true })
  outputPerMillionUsd: string | null = null;

  @Property({ type: 'decimal', nullable: true })
  cacheReadPerMillionUsd: string | null = null;

  @Property({ type: 'decimal', nullable: true })
  cacheWritePerMillionUsd: string | null = null;

  @Property({ type: 'decimal', nullable: true })
  reasoningPerMillionUsd: string | null = null;

  /** The tier to which a price applies. Unused in an alias, which applies to all tiers. */
  @Property({ type: 'text' })
  serviceTier: ServiceTier = 'standard';

  /** Null for every region. */
  @Property({ type: 'text', nullable: true })
  region: string | null = null;

  /** Null: no start. */
  @Property({ type: 'timestamptz', nullable: true })
  effectiveFrom: Date | null = null;

  @Property({ type: 'text', nullable: true })
  targetProvider: string | null = null;

  @Property({ type: 'text', nullable: true })
  targetModel: string | null = null;

  /** Increases with each change. Events store the version with their price. */
  @Property({ type: 'integer' })
  version!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** A new entry. */
  static create(orgId: string, id: string, terms: PriceTerms, now: Date): PriceRecord {
    const record = new PriceRecord();
    Object.assign(record, { orgId, id, kind: terms.kind, version: 0, createdAt: now });
    record.agree(terms, now);
    return record;
  }

  /** Replaces the terms. Provider, model and start stay the same. */
  agree(terms: PriceTerms, now: Date): void {
    this.provider = terms.provider;
    this.model = terms.model;
    if (terms.kind === 'price') {
      this.inputPerMillionUsd = terms.input;
      this.outputPerMillionUsd = terms.output;
      this.cacheReadPerMillionUsd = terms.cacheRead;
      this.cacheWritePerMillionUsd = terms.cacheWrite;
      this.reasoningPerMillionUsd = terms.reasoning;
      this.serviceTier = terms.serviceTier;
      this.region = terms.region;
      this.effectiveFrom = terms.effectiveFrom;
    } else {
      this.targetProvider = terms.targetProvider;
      this.targetModel = terms.targetModel;
    }
    this.version += 1;
    this.updatedAt = now;
  }

  /** Whether the entry already has these terms. Texts are compared exactly, amounts as numbers. */
  says(terms: PriceTerms): boolean {
    if (this.kind !== terms.kind || this.provider !== terms.provider || this.model !== terms.model) return false;
    if (terms.kind === 'alias') {
      return this.targetProvider === terms.targetProvider && this.targetModel === terms.targetModel;
    }
    return (
      isSameAmount(this.inputPerMillionUsd, terms.input) &&
      isSameAmount(this.outputPerMillionUsd, terms.output) &&
      isSameAmount(this.cacheReadPerMillionUsd, terms.cacheRead) &&
      isSameAmount(this.cacheWritePerMillionUsd, terms.cacheWrite) &&
      isSameAmount(this.reasoningPerMillionUsd, terms.reasoning) &&
      this.serviceTier === terms.serviceTier &&
      this.region === terms.region &&
      this.effectiveFrom?.getTime() === terms.effectiveFrom?.getTime()
    );
  }

  /** The entry in the form of the price engine; null for an alias. */
  asOverride(): PriceOverride | null {
    if (this.kind !== 'price' || this.inputPerMillionUsd === null || this.outputPerMillionUsd === null) return null;
    return {
      provider: this.provider,
      model: this.model,
      inputPerMillionUsd: this.inputPerMillionUsd,
      outputPerMillionUsd: this.outputPerMillionUsd,
      cacheReadPerMillionUsd: this.cacheReadPerMillionUsd,
      cacheWritePerMillionUsd: this.cacheWritePerMillionUsd,
      reasoningPerMillionUsd: this.reasoningPerMillionUsd,
      serviceTier: this.serviceTier,
      region: this.region,
      effectiveFrom: this.effectiveFrom,
      version: `${this.id}:${this.version}`,
    };
  }

  /** The alias in the form of the price engine; null for a price. */
  asAlias(): ModelAlias | null {
    if (this.targetProvider === null || this.targetModel === null) return null;
    const { provider, model, targetProvider, targetModel } = this;
    return { provider, model, targetProvider, targetModel };
  }

  /** As the audit log keeps it. */
  audited(): JsonObject {
    return {
      kind: this.kind,
      provider: this.provider,
      model: this.model,
      input_per_million_usd: this.inputPerMillionUsd,
      output_per_million_usd: this.outputPerMillionUsd,
      cache_read_per_million_usd: this.cacheReadPerMillionUsd,
      cache_write_per_million_usd: this.cacheWritePerMillionUsd,
      reasoning_per_million_usd: this.reasoningPerMillionUsd,
      service_tier: this.serviceTier,
      region: this.region,
      effective_from: this.effectiveFrom?.toISOString() ?? null,
      target_provider: this.targetProvider,
      target_model: this.targetModel,
      version: this.version,
    };
  }
}

function isSameAmount(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : usdToPico(a) === usdToPico(b);
}
