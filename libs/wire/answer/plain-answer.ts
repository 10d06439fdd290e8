import type { WireOperation } from '../routes.js';
import type { AnswerFacts } from './answer-facts.js';
import { JsonOutline } from './json-outline.js';

/** An answer that is one JSON object. */
export class PlainAnswer {
  private readonly outline = new JsonOutline();

  constructor(
    private readonly facts: AnswerFacts,
    private readonly operation: WireOperation,
  ) {}

  push(bytes: Uint8Array): Uint8Array[] {
    const before = this.outline.writtenBytes;
    this.outline.push(bytes);
    if (this.operation !== 'embeddings') this.facts.wroteBytes(this.outline.writtenBytes - before);
    return [bytes];
  }

  end(): Uint8Array[] {
    const { members, complete } = this.outline;
    this.facts.name(members);
    if (members['error'] !== undefined && members['error'] !== null) this.facts.fail(members['error']);
    this.facts.report(members['usage']);
    this.facts.ended = complete;
    return [];
  }
}
