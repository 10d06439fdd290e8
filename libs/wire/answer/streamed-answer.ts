import { createParser, type EventSourceParser } from 'eventsource-parser';
import { isRecord } from '../json.js';
import type { WireOperation } from '../routes.js';
import type { AnswerFacts } from './answer-facts.js';
import { JsonOutline } from './json-outline.js';
import { SseBlocks, type SsePiece } from './sse-blocks.js';
import { DONE, isUsageChunk, READ_EVENT } from './stream-events.js';

/** An answer as server-sent events. Comments, pings and events that are not JSON are forwarded without being read. */
export class StreamedAnswer {
  private readonly blocks = new SseBlocks();
  private readonly parser: EventSourceParser;
  /** Reads an event that is too large to hold while its parts are forwarded. */
  private large: JsonOutline | undefined;
  /** Whether the latest event must be hidden from the client. */
  private isHidden = false;

  constructor(
    private readonly facts: AnswerFacts,
    private readonly operation: WireOperation,
    private readonly hidesUsageChunk: boolean,
  ) {
    this.parser = createParser({ onEvent: ({ data }) => this.readData(data) });
  }

  push(bytes: Uint8Array): Uint8Array[] {
    const pieces = this.blocks.push(bytes);
    const shown = pieces.filter(piece => this.read(piece));
    return this.hidesUsageChunk ? shown.map(piece => piece.bytes) : [bytes];
  }

  end(): Uint8Array[] {
    const held = this.blocks.flush();
    if (held.length === 0) return [];
    const isShown = this.read({ bytes: held, kind: this.large ? 'last' : 'event' });
    return this.hidesUsageChunk && isShown ? [held] : [];
  }

  /** @returns whether to forward the piece to the client */
  private read({ bytes, kind }: SsePiece): boolean {
    if (kind === 'rest') return !this.isHidden;
    this.isHidden = false;
    if (kind === 'event') this.readEvent(bytes);
    else this.readPart(bytes, kind === 'last');
    return !this.isHidden;
  }

  private readEvent(bytes: Uint8Array): void {
    // The parser waits for the byte after a CR, but this event is already complete. Therefore, its line ends are
    // replaced by LF.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    this.parser.feed(`${text.replace(/[\r\n]+$/, '')}\n\n`);
  }

  private readPart(bytes: Uint8Array, isLast: boolean): void {
    this.large ??= new JsonOutline();
    this.large.push(bytes);
    if (!isLast) return;
    const { members, writtenBytes } = this.large;
    this.large = undefined;
    // If the event contains the whole response, its text was already counted in earlier events.
    if (!('response' in members)) this.facts.wroteBytes(writtenBytes);
    READ_EVENT[this.operation](this.facts, members);
  }

  private readData(data: string): void {
    if (data.trim() === DONE) {
      this.facts.ended = true;
      return;
    }
    const event = parsed(data);
    if (!isRecord(event)) return;
    READ_EVENT[this.operation](this.facts, event);
    this.isHidden = this.hidesUsageChunk && isUsageChunk(event);
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
