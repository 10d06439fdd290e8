import { GovernanceError, type ErrorCode } from '#core';
import fc from 'fast-check';
import { ScimError } from '../../libs/users/scim/protocol/scim-error.js';
import { newChance } from '../faults/processes/chance.js';
import { threadMs } from '../support/turn-watch.js';
import { mutateJson, mutateText } from './mutate.js';

interface Common<T> {
  /** The name of the parser's input, for the table. */
  name: string;
  /** Valid inputs, from which further inputs are derived. */
  seeds: readonly T[];
  /** Inputs that roughly follow the grammar. */
  grammar?: fc.Arbitrary<T>;
  /** Share of the usual number of inputs, for inherently slow parsers. Default: 1. */
  share?: number;
  /** Parses one input. It may throw only refusals. */
  read: (input: T) => unknown;
}

/** A parser of texts, or one of parsed JSON. */
export type FuzzedParser = ({ kind: 'text' } & Common<string>) | ({ kind: 'json' } & Common<unknown>);

/** The results of all inputs of one parser. */
export interface Outcome {
  inputs: number;
  refused: number;
  /** Inputs for which the parser threw anything other than a refusal. The API would answer them with 500. */
  faults: string[];
  /** CPU time of the slowest input, in milliseconds. */
  slowestMs: number;
  slowest: string;
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  ...(['bad_request', 'unauthorized', 'forbidden', 'not_found', 'conflict', 'payload_too_large'] as const),
  'unsupported_media_type',
  'rate_limited',
]);
const CHUNK = 1_000;
/**
 * An input that took longer is parsed again, because compilation and garbage collection may have slowed down the first
 * time.
 */
const SUSPICIOUS_MS = 100;
const FAULTS_KEPT = 10;

/** The result before any input. */
export function newOutcome(): Outcome {
  return { inputs: 0, refused: 0, faults: [], slowestMs: 0, slowest: '' };
}

/** Parses this many inputs. If there is a grammar, half of them come from it. The others are changed seeds. */
export async function fuzz(parser: FuzzedParser, inputs: number, seed: number): Promise<Outcome> {
  const outcome = newOutcome();
  for (let made = 0; made < inputs; made += CHUNK) {
    const count = Math.min(CHUNK, inputs - made);
    if (parser.kind === 'text') {
      for (const input of textsFor(parser, count, seed + made)) await judge(parser.read, input, outcome);
    } else {
      for (const input of valuesFor(parser, count, seed + made)) await judge(parser.read, input, outcome);
    }
  }
  return outcome;
}

/** Inputs for a parser of either kind. The same seed gives the same inputs. */
export function inputsFor(parser: FuzzedParser, count: number, seed: number): unknown[] {
  return parser.kind === 'text' ? textsFor(parser, count, seed) : valuesFor(parser, count, seed);
}

function textsFor({ grammar, seeds }: Common<string>, count: number, seed: number): string[] {
  const chance = newChance(seed);
  const made = grammar ? fc.sample(grammar, { numRuns: Math.ceil(count / 2), seed }) : [];
  while (made.length < count) made.push(mutateText(chance, seeds));
  return made;
}

/**
 * The values for a parser of JSON. Values that JSON cannot express do not occur, because no request can contain them.
 */
function valuesFor({ grammar, seeds }: Common<unknown>, count: number, seed: number): unknown[] {
  const chance = newChance(seed);
  const made = grammar ? fc.sample(grammar, { numRuns: Math.ceil(count / 2), seed }) : [];
  while (made.length < count) made.push(mutateJson(chance, seeds));
  return made.map((input): unknown => JSON.parse(JSON.stringify(input) ?? 'null'));
}

/** Parses one input and records the result. */
export async function judge<T>(read: (input: T) => unknown, input: T, outcome: Outcome): Promise<void> {
  outcome.inputs++;
  let ms = await timed(read, input, outcome);
  if (ms > SUSPICIOUS_MS) {
    const again = newOutcome();
    for (let time = 0; time < 2; time++) ms = Math.min(ms, await timed(read, input, again));
  }
  if (ms <= outcome.slowestMs) return;
  outcome.slowestMs = ms;
  outcome.slowest = shown(input);
}

async function timed<T>(read: (input: T) => unknown, input: T, outcome: Outcome): Promise<number> {
  const before = threadMs();
  try {
    const result = read(input);
    if (result instanceof Promise) await result;
  } catch (error) {
    if (isRefusal(error)) outcome.refused++;
    else if (outcome.faults.length < FAULTS_KEPT) {
      outcome.faults.push(`${error instanceof Error ? error.stack : String(error)}\n  at input ${shown(input)}`);
    }
  }
  return threadMs() - before;
}

/** Whether the error filters answer the error with 4xx. */
function isRefusal(error: unknown): boolean {
  return error instanceof ScimError || (error instanceof GovernanceError && REFUSALS.has(error.code));
}

function shown(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  return JSON.stringify(text.slice(0, 2_000));
}
