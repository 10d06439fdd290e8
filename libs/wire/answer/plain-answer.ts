import { countOf, isRecord } from '../json.js';
import type { WireOperation } from '../routes.js';
import { OUTPUT_FIELDS, type AnswerFacts } from './answer-facts.js';
import { JsonOutline } from './json-outline.js';

/**
 * Maximum size of an answer that is kept and parsed at once. That takes a tenth of the time of reading it by
 * JsonOutline.
 */
const SMALL = 65_536;

/** An answer that is one JSON object. */
export class PlainAnswer {
  /** The chunks so far. Undefined once they are too large to keep: then `outline` reads them. */
  private kept: Uint8Array[] | undefined = [];
  private bytes = 0;
  private readonly outline = new JsonOutline();

  constructor(
    private readonly facts: AnswerFacts,
    private readonly operation: WireOperation,
  ) {}

  push(bytes: Uint8Array): Uint8Array[] {
    this.bytes += bytes.length;
    if (!this.kept) this.readOutline(bytes);
    else {
      this.kept.push(bytes);
      if (this.bytes > SMALL) this.readKept();
    }
    return [bytes];
  }

  end(): Uint8Array[] {
    const whole = this.kept && parsed(this.kept);
    if (whole && isCounted(whole)) {
      this.take(whole, true);
      return [];
    }
    // The answer is incomplete, is not JSON, or has no usage, so `outline` reads it.
    this.readKept();
    this.take(this.outline.members, this.outline.complete);
    return [];
  }

  private take(members: Record<string, unknown>, isComplete: boolean): void {
    this.facts.name(members);
    if (members['error'] !== undefined && members['error'] !== null) this.facts.fail(members['error']);
    this.facts.report(members['usage']);
    this.facts.ended = isComplete;
  }

  private readKept(): void {
    for (const bytes of this.kept ?? []) this.readOutline(bytes);
    this.kept = undefined;
  }

  private readOutline(bytes: Uint8Array): void {
    const before = this.outline.writtenBytes;
    this.outline.push(bytes);
    if (this.operation !== 'embeddings') this.facts.wroteBytes(this.outline.writtenBytes - before);
  }
}

/** Whether the provider reported the output tokens, so that no estimate is needed. */
function isCounted({ usage }: Record<string, unknown>): boolean {
  return isRecord(usage) && OUTPUT_FIELDS.some(field => countOf(usage[field]) !== undefined);
}

function parsed(pieces: readonly Uint8Array[]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
