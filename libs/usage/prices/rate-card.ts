import type { PricedTokens } from '#core';
import { toScaled } from './money.js';

/** US dollars per million tokens, in units of 10⁻¹²: exact for every price with at most 12 decimals. */
export type RatePerMillion = bigint;

/** A price per token, which may depend on the number of input tokens of the request. */
export interface Rate {
  base: RatePerMillion;
  /**
   * Tiers in ascending order of `above`. A tier applies if the request has more input tokens than `above`. The rate of
   * the last such tier applies to all tokens.
   */
  tiers: readonly { above: number; rate: RatePerMillion }[];
}

/** Rates of one model at one time. A class of tokens without its own rate has the rate of its parent class. */
export interface RateCard {
  input?: Rate | undefined;
  output?: Rate | undefined;
  cacheRead?: Rate | undefined;
  cacheWrite?: Rate | undefined;
  reasoning?: Rate | undefined;
  /**
   * Rate of writes to a cache with a lifetime of one hour. {@link costOf} does not charge them, because usage reports
   * these tokens as units.
   */
  longCacheWrite?: Rate | undefined;
  /** Price per request in picodollars, in addition to the tokens. */
  perRequest: bigint;
}

const TOKENS_PER_RATE = 1_000_000n;

/** Converts US dollars per million tokens to a rate; undefined if the value is negative or not a decimal. */
export function ratePerMillion(usd: number | string): RatePerMillion | undefined {
  return toScaled(usd, 12);
}

/**
 * Cost of one request in picodollars. The computation is exact; only the result is rounded, half up. Token counts are
 * whole numbers. Cached tokens beyond the input, and reasoning tokens beyond the output, are not charged twice.
 */
export function costOf(card: RateCard, tokens: PricedTokens): bigint {
  const size = tokens.input_tokens;
  const read = card.cacheRead ? (tokens.cache_read_tokens ?? 0) : 0;
  const write = card.cacheWrite ? (tokens.cache_write_tokens ?? 0) : 0;
  const reasoning = card.reasoning ? (tokens.reasoning_tokens ?? 0) : 0;
  const sum =
    charge(card.input, size, size - read - write) +
    charge(card.cacheRead, size, read) +
    charge(card.cacheWrite, size, write) +
    charge(card.output, size, tokens.output_tokens - reasoning) +
    charge(card.reasoning, size, reasoning);
  return (sum + TOKENS_PER_RATE / 2n) / TOKENS_PER_RATE + card.perRequest;
}

/**
 * Cost in picodollars of the most expensive way to bill a request: all input tokens in one class, and all output tokens
 * in one class.
 */
export function ceilingOf(card: RateCard, inputTokens: number, outputTokens: number): bigint {
  let input = rateOf(card.input, inputTokens);
  for (const rate of [card.cacheRead, card.cacheWrite, card.longCacheWrite]) {
    if (rate) input = larger(input, rateOf(rate, inputTokens));
  }
  let output = rateOf(card.output, inputTokens);
  if (card.reasoning) output = larger(output, rateOf(card.reasoning, inputTokens));
  const sum = input * BigInt(inputTokens) + output * BigInt(outputTokens);
  return (sum + TOKENS_PER_RATE / 2n) / TOKENS_PER_RATE + card.perRequest;
}

function larger(one: bigint, other: bigint): bigint {
  return one < other ? other : one;
}

function charge(rate: Rate | undefined, requestSize: number, count: number): bigint {
  return rate && count > 0 ? rateOf(rate, requestSize) * BigInt(count) : 0n;
}

function rateOf(rate: Rate | undefined, requestSize: number): RatePerMillion {
  if (!rate) return 0n;
  if (rate.tiers.length === 0) return rate.base;
  return rate.tiers.findLast(tier => requestSize > tier.above)?.rate ?? rate.base;
}
