import { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { streamedAnswer } from '#access';
import type { Decision } from '../records/decision.js';
import { policyWeight } from '../decide/policy-weight.js';

/** Estimated number of bytes from which a response is streamed. */
const LARGE = 2_000_000;

/**
 * The response to a batch. A large response is streamed decision by decision, at the reader's pace. 100 decisions with
 * 10,000 matching policies each exceed the maximum length of a string. Serializing them at once would also block the
 * event loop.
 */
export function batchAnswer(decisions: Decision[]): { decisions: Decision[] } | StreamableFile {
  if (!isLarge(decisions)) return { decisions };
  return streamedAnswer(Readable.from(piecesOf(decisions)), { type: 'application/json; charset=utf-8' });
}

/** Whether the response is large. Stops as soon as the result is certain, after a few thousand policies at most. */
function isLarge(decisions: readonly Decision[]): boolean {
  let weight = 0;
  for (const { policies } of decisions) {
    for (const { matched_conditions: conditions } of policies) {
      weight += policyWeight(conditions);
      if (weight >= LARGE) return true;
    }
  }
  return false;
}

function* piecesOf(decisions: readonly Decision[]): Generator<string> {
  let before = '{"decisions":[';
  for (const decision of decisions) {
    yield before + JSON.stringify(decision);
    before = ',';
  }
  yield ']}';
}
