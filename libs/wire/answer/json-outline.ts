/** Maximum size of a kept value in bytes. A usage object has a few hundred. */
const LARGEST_VALUE = 65_536;
const LONGEST_KEY = 64;
/** Maximum nesting depth. A text that nests deeper is not read to its end. */
const DEEPEST = 1_000;

/** The members to keep, as paths of one or two keys. */
const KEPT = new Set(
  ['', 'response.', 'message.'].flatMap(at =>
    ['id', 'model', 'usage', 'service_tier', 'error', 'type'].map(key => at + key),
  ),
);
/** The members that contain text which a model wrote. */
const WRITTEN = new Set([
  ...['content', 'text', 'refusal', 'reasoning', 'reasoning_content', 'thinking', 'name', 'arguments', 'delta'],
  'partial_json',
]);

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Reads a few members of a JSON object in one pass over its bytes. Does not keep the object, because an answer with
 * embeddings may have hundreds of megabytes. Skips everything before the first brace. If the JSON is invalid or
 * incomplete, keeps the members that were already read.
 */
export class JsonOutline {
  /** Number of bytes of text that the model wrote, in the encoding of JSON strings. */
  writtenBytes = 0;
  /** Whether the closing brace of the object was seen. */
  complete = false;

  private readonly kept = new Map<string, Buffer>();
  /** One entry per open bracket: whether the bracket opens an array. */
  private readonly open: boolean[] = [];
  private readonly text = new StringState();
  /** Whether the next string is a key. */
  private expectsKey = false;
  private outerKey = '';
  private lastKey = '';
  private capture: Capture | undefined;

  push(bytes: Uint8Array): void {
    const { text } = this;
    let from = 0;
    for (let at = 0; at < bytes.length && !this.complete; at++) {
      const byte = bytes[at];
      if (text.isOpen) {
        if (!text.endsAt(byte)) continue;
        this.endString(bytes.subarray(text.from, at));
      } else if (byte === QUOTE && this.open.length > 0) text.begin(this.expectsKey, at + 1);
      else if (byte === OPEN_OBJECT || (byte === OPEN_ARRAY && this.open.length > 0)) this.enter(byte === OPEN_ARRAY);
      else if (this.open.length === 0) continue;
      else if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (this.capture?.depth === this.open.length) this.keep(bytes.subarray(from, at));
        if (byte === COMMA) this.expectsKey = this.open.at(-1) === false;
        else this.leave();
      } else if (byte === COLON && this.beginCapture()) from = at + 1;
    }
    if (text.isOpen) this.addText(bytes.subarray(text.from));
    text.from = 0;
    this.capture?.add(bytes.subarray(from));
  }

  /** The kept members at their paths, such as `{ id, usage, response: { usage } }`. */
  get members(): Record<string, unknown> {
    const members = new Map<string, Record<string, unknown>>();
    const whole: Record<string, unknown> = {};
    for (const [path, json] of this.kept) {
      const [outer = '', inner] = path.split('.');
      if (inner === undefined) whole[outer] = parsed(json);
      else members.set(outer, { ...members.get(outer), [inner]: parsed(json) });
    }
    return { ...Object.fromEntries(members), ...whole };
  }

  private enter(isArray: boolean): void {
    this.open.push(isArray);
    this.expectsKey = !isArray;
    // All members to keep are nested less deeply than this, so the rest of the answer need not be read.
    if (this.open.length > DEEPEST) this.complete = true;
  }

  private leave(): void {
    this.open.pop();
    this.expectsKey = false;
    this.complete = this.open.length === 0;
  }

  private endString(rest: Uint8Array): void {
    this.addText(rest);
    if (!this.text.isKey) return;
    this.lastKey = this.text.key;
    if (this.open.length === 1) this.outerKey = this.lastKey;
    this.expectsKey = false;
  }

  private addText(part: Uint8Array): void {
    if (this.text.isKey) this.text.addToKey(part);
    else if (WRITTEN.has(this.lastKey)) this.writtenBytes += part.length;
  }

  private beginCapture(): boolean {
    if (this.capture || this.open.length > 2) return false;
    const path = this.open.length === 1 ? this.lastKey : `${this.outerKey}.${this.lastKey}`;
    if (KEPT.has(path)) this.capture = new Capture(path, this.open.length);
    return this.capture !== undefined;
  }

  private keep(rest: Uint8Array): void {
    const { capture } = this;
    capture?.add(rest);
    if (capture?.value) this.kept.set(capture.path, capture.value);
    this.capture = undefined;
  }
}

/** State of the reader inside a string. */
class StringState {
  isOpen = false;
  isKey = false;
  /** Offset within the current bytes at which the string continues. */
  from = 0;
  key = '';
  private isEscaped = false;

  begin(isKey: boolean, from: number): void {
    this.isOpen = true;
    this.isKey = isKey;
    this.from = from;
    this.key = '';
  }

  endsAt(byte: number | undefined): boolean {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isOpen = false;
    return !this.isOpen;
  }

  /** All keys that matter are ASCII, so each byte can be read as one character. */
  addToKey(part: Uint8Array): void {
    if (this.key.length + part.length <= LONGEST_KEY) this.key += Buffer.from(part).toString('latin1');
    else this.key = '?'.repeat(LONGEST_KEY);
  }
}

/** Collects the bytes of one value, up to a maximum size. */
class Capture {
  private parts: Uint8Array[] = [];
  private bytes = 0;

  constructor(
    readonly path: string,
    /** Number of brackets that were open at the start of the value. */
    readonly depth: number,
  ) {}

  add(part: Uint8Array): void {
    this.bytes += part.length;
    if (this.bytes > LARGEST_VALUE) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  get value(): Buffer | undefined {
    return this.bytes > LARGEST_VALUE ? undefined : Buffer.concat(this.parts);
  }
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    return undefined;
  }
}
