import { Injectable } from '@nestjs/common';
import { PricingCatalog, type PriceQuote, type PriceRequest } from 'nest-llm-governance';
import { GenaiPricesCatalog } from 'nest-llm-governance/usage';

const PICODOLLARS_PER_TOKEN = 400_000n;

/** Own models cost 0.40 US dollars per million tokens. All other models have the price of the catalogue. */
@Injectable()
export class ContractPrices extends PricingCatalog {
  private readonly published = new GenaiPricesCatalog();

  override quote(request: PriceRequest): PriceQuote | null {
    if (request.provider !== 'self-hosted') return this.published.quote(request);
    const { input_tokens, output_tokens } = request.tokens;
    const picodollars = BigInt(input_tokens + output_tokens) * PICODOLLARS_PER_TOKEN;
    return { picodollars, source: 'contract', version: '2026' };
  }

  override identify(provider: string, model: string): string | null {
    return provider === 'self-hosted' ? `self-hosted ${model}` : this.published.identify(provider, model);
  }
}
