import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import type { PriceQuote, PriceRequest, PricingCatalog } from '#core';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A catalogue under test. Created for each case. */
export interface PricingCatalogGround extends Closable {
  readonly catalog: PricingCatalog;
  /** A request with input and output tokens that the catalogue can price. */
  readonly priced: PriceRequest;
}

const ODD_TEXTS = ['', ' ', 'nobody-has-this', '__proto__', 'constructor', '*', 'a'.repeat(1_000), '\u0000', '🙂'];

const RULES: Record<string, (ground: PricingCatalogGround) => void> = {
  'quotes whole picodollars, never negative, with source and version'({ catalog, priced }) {
    const quote = quoteOf(catalog, priced);
    equal(typeof quote.picodollars, 'bigint');
    ok(quote.picodollars >= 0n, 'a price is not negative');
    ok(quote.source !== '' && quote.version !== '', 'source and version are named');
  },
  'quotes the same price for a repeated request'({ catalog, priced }) {
    const first = quoteOf(catalog, priced);
    deepEqual(quoteOf(catalog, structuredClone(priced)), first);
  },
  'returns null for unknown providers and models, and never throws'({ catalog, priced }) {
    for (const text of ODD_TEXTS) {
      const request = { ...priced, provider: `nobody ${text}`, model: text };
      equal(catalog.quote(request), null, `quote of ${text}`);
      equal(catalog.identify(request.provider, text), null, `identify of ${text}`);
    }
  },
  'never throws for unusual model names of a known provider'({ catalog, priced }) {
    for (const model of ODD_TEXTS) {
      const quote = catalog.quote({ ...priced, model });
      ok(quote === null || quote.picodollars >= 0n, `quote of ${model}`);
    }
  },
  'identifies every priced model by a text'({ catalog, priced }) {
    const name = catalog.identify(priced.provider, priced.model);
    notEqual(name ?? '', '', 'a priced model has a name');
  },
  'does not change the request'({ catalog, priced }) {
    const before = { ...priced, tokens: { ...priced.tokens } };
    quoteOf(catalog, priced);
    deepEqual(priced, before);
  },
  'accepts any time, past or future, without throwing'({ catalog, priced }) {
    for (const at of ['1970-01-01T00:00:00Z', '2100-01-01T00:00:00Z']) {
      const quote = catalog.quote({ ...priced, at: new Date(at) });
      ok(quote === null || quote.picodollars >= 0n, at);
    }
  },
};

function quoteOf(catalog: PricingCatalog, request: PriceRequest): PriceQuote {
  const quote = catalog.quote(request);
  ok(quote !== null, 'the request of the ground has a price');
  ok(!(quote instanceof Promise), 'the answer comes at once');
  return quote;
}

/** The contract of `PricingCatalog`: the cases that every catalogue must pass. `makeGround` is called for each case. */
export function pricingCatalogContract(
  makeGround: () => Promise<PricingCatalogGround> | PricingCatalogGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
