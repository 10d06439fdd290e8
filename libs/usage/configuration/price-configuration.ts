import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import type { Json, JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { PutPriceDto, termsOf } from '../http/price.dto.js';
import { PriceListService } from '../price-list/price-list.service.js';
import { PriceRecord } from '../price-list/price-record.entity.js';
import { usdToPico } from '../prices/index.js';

/** Own prices in configuration files. A price is identified by provider, model, tier, region and start, an alias by the first two. */
@Injectable()
export class PriceConfiguration extends ConfigurationKind {
  override readonly kind = 'prices';
  override readonly rank = 20;
  override readonly reads = ['prices:read'] as const;
  override readonly writes = 'prices:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly prices: PriceListService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const records = await this.database.snapshot(orgId, em => em.find(PriceRecord, { orgId }));
    return records.map(record => ({ id: record.id, name: nameOf(record), fields: fieldsOf(record) }));
  }

  override async read(orgId: string, entry: unknown): Promise<WantedObject> {
    const record = PriceRecord.create(orgId, '', termsOf(readInput(PutPriceDto, entry, 'body')), new Date(0));
    return { name: nameOf(record), fields: fieldsOf(record) };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<undefined> {
    await this.prices.put(actor, termsOf(readInput(PutPriceDto, fields, 'body')));
  }

  override async update(actor: Actor, _id: string, wanted: WantedObject): Promise<void> {
    await this.create(actor, wanted);
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.prices.remove(actor, id);
  }
}

/** Compared without case, as the price list compares. */
function nameOf({ kind, provider, model, serviceTier, region, effectiveFrom }: PriceRecord): string {
  const tier = serviceTier === 'standard' ? '' : ` ${serviceTier}`;
  const place = region === null ? '' : ` in ${region.toLowerCase()}`;
  const from = effectiveFrom === null ? '' : ` from ${effectiveFrom.toISOString()}`;
  return `${kind} of ${(provider ?? '*').toLowerCase()} ${model.toLowerCase()}${tier}${place}${from}`;
}

function fieldsOf(record: PriceRecord): JsonObject {
  const { provider, model, targetProvider, targetModel } = record;
  if (targetProvider !== null && targetModel !== null) {
    return { provider, model, alias: { provider: targetProvider, model: targetModel } };
  }
  return {
    provider,
    model,
    input_per_million_usd: amountOf(record.inputPerMillionUsd),
    output_per_million_usd: amountOf(record.outputPerMillionUsd),
    cache_read_per_million_usd: amountOf(record.cacheReadPerMillionUsd),
    cache_write_per_million_usd: amountOf(record.cacheWritePerMillionUsd),
    reasoning_per_million_usd: amountOf(record.reasoningPerMillionUsd),
    service_tier: record.serviceTier,
    region: record.region,
    effective_from: record.effectiveFrom?.toISOString() ?? null,
  };
}

/** An amount: a number if it is exact, otherwise text. */
function amountOf(text: string | null): Json {
  if (text === null) return null;
  const number = Number(text);
  return usdToPico(number) === usdToPico(text) ? number : text;
}
