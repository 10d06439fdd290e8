import { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { streamedAnswer } from '#access';
import type { Decision } from '../records/decision.js';
import { policiesWeight } from '../records/record-weight.js';

/** From this size on, an answer is written piece by piece. */
const LARGE = 2_000_000;

/**
 * The answer to a batch. A large one goes out decision by decision, as its reader takes it: 100 decisions with 10,000
 * matching policies each are more than one text can hold, and would keep everybody else waiting.
 */
export function batchAnswer(decisions: Decision[]): { decisions: Decision[] } | StreamableFile {
  let weight = 0;
  for (const { policies } of decisions) weight += policiesWeight(policies).written;
  if (weight < LARGE) return { decisions };
  return streamedAnswer(Readable.from(piecesOf(decisions)), { type: 'application/json; charset=utf-8' });
}

function* piecesOf(decisions: readonly Decision[]): Generator<string> {
  let before = '{"decisions":[';
  for (const decision of decisions) {
    yield before + JSON.stringify(decision);
    before = ',';
  }
  yield ']}';
}
