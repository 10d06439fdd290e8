import { isRecord } from '../json.js';

/**
 * Average number of bytes of text per token, as OpenAI states it for its tokenizer (github.com/openai/tiktoken,
 * README).
 */
const BYTES_PER_TOKEN = 4;

/**
 * Number of tokens that each message costs in addition to its content, as in OpenAI's cookbook example of counting
 * tokens.
 */
const MESSAGE_TOKENS = 3;

/** Number of tokens that Anthropic states for the largest image that is not scaled down. */
const IMAGE_TOKENS = 1_600;
/** Maximum number of tokens that Anthropic states for one page of a document. The number of pages is unknown here. */
const DOCUMENT_TOKENS = 3_000;
/** Tokens of one minute of audio, at ten tokens per second. */
const AUDIO_TOKENS = 600;

/** Message parts that contain a file or its address, by type. */
const FILES = new Map<unknown, number>([
  ['image', IMAGE_TOKENS],
  ['image_url', IMAGE_TOKENS],
  ['input_image', IMAGE_TOKENS],
  ['document', DOCUMENT_TOKENS],
  ['file', DOCUMENT_TOKENS],
  ['input_file', DOCUMENT_TOKENS],
  ['input_audio', AUDIO_TOKENS],
  ['audio', AUDIO_TOKENS],
  // Tool results in the AI SDK's format.
  ['media', IMAGE_TOKENS],
  ['image-data', IMAGE_TOKENS],
  ['file-data', DOCUMENT_TOKENS],
]);

/**
 * Maximum number of parts to inspect. A request may be crafted to take a long time, and an object from a library may
 * contain cycles.
 */
const MOST_PARTS = 1_000_000;

/** Fields that the model does not see, and fields whose few tokens are included in MESSAGE_TOKENS. */
const UNREAD = new Set(['role', 'type', 'id', 'tool_call_id', 'call_id', 'tool_use_id', 'cache_control', 'status']);
/**
 * Fields whose names belong to the format, and so do not count as text. The name of any other field is text that the
 * model reads.
 */
const NAMELESS = new Set([
  'content',
  'text',
  'source',
  'function',
  'arguments',
  'input',
  'output',
  'tool_calls',
  'name',
]);

/** Fields of a request that the model reads, for all formats. */
const READ = ['messages', 'system', 'input', 'instructions', 'prompt', 'suffix'] as const;
/** Fields that the model reads as JSON: definitions and schemas. */
const READ_AS_JSON = ['tools', 'functions', 'response_format', 'text', 'output_config'] as const;

/** Estimated number of tokens of a text, from its length in bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * Estimates the number of input tokens: bytes of text divided by four, one token per number (a token id), and fixed
 * figures for images, documents and recordings. Stored conversations (`previous_response_id`) and stored prompts are
 * not part of the request and count as 0.
 */
export function estimateInputTokens(body: Readonly<Record<string, unknown>>): number {
  const estimate = new InputEstimate();
  for (const field of READ) estimate.add(body[field]);
  for (const field of READ_AS_JSON) estimate.addJson(body[field]);
  return estimate.tokens;
}

class InputEstimate {
  private bytes = 0;
  private counted = 0;
  private parts = 0;
  /** An explicit stack instead of recursion, because a request may nest deeper than the call stack allows. */
  private readonly pending: unknown[] = [];

  get tokens(): number {
    return tokensOfBytes(this.bytes) + this.counted;
  }

  add(value: unknown): void {
    this.pending.push(value);
    while (this.pending.length > 0 && this.parts < MOST_PARTS) {
      this.parts += 1;
      this.count(this.pending.pop());
    }
  }

  addJson(value: unknown): void {
    if (!isRecord(value) && !Array.isArray(value)) return;
    try {
      this.bytes += Buffer.byteLength(JSON.stringify(value));
    } catch {
      // JSON.stringify throws for cycles and BigInts, which only an object built by code can contain. The provider
      // refuses such a request as invalid JSON.
    }
  }

  private count(value: unknown): void {
    if (typeof value === 'string') this.bytes += Buffer.byteLength(value);
    else if (typeof value === 'number') this.counted += 1;
    else if (Array.isArray(value)) this.countList(value);
    else if (isRecord(value) && !ArrayBuffer.isView(value)) this.countObject(value);
  }

  /** A prompt of token ids is a long list of numbers. */
  private countList(list: readonly unknown[]): void {
    for (const item of list) {
      if (typeof item === 'number') this.counted += 1;
      else this.pending.push(item);
    }
  }

  private countObject(part: Readonly<Record<string, unknown>>): void {
    if ('role' in part) this.counted += MESSAGE_TOKENS;
    const file = isText(part['source']) ? undefined : FILES.get(part['type']);
    if (file !== undefined) {
      this.counted += file;
      return;
    }
    for (const key of Object.keys(part)) {
      // A field with the value undefined is not sent.
      if (UNREAD.has(key) || part[key] === undefined) continue;
      if (!NAMELESS.has(key)) this.bytes += Buffer.byteLength(key);
      this.pending.push(part[key]);
    }
  }
}

/** Whether the source of an Anthropic document contains the text of the document. */
function isText(source: unknown): boolean {
  return isRecord(source) && (source['type'] === 'text' || source['type'] === 'content');
}
