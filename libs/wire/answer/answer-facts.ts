import { countOf, isRecord, textOf } from '../json.js';
import { tokensOfBytes } from '../request/input-estimate.js';

/** The provider's error. */
export interface WireError {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
}

type Usage = Readonly<Record<string, unknown>>;

/** The fields in which the formats count output tokens. */
export const OUTPUT_FIELDS = ['completion_tokens', 'output_tokens'] as const;

/** Facts that have been read from one answer so far. */
export class AnswerFacts {
  id: string | undefined;
  model: string | undefined;
  /** The tier beside the usage object, as OpenAI names it. */
  serviceTier: string | undefined;
  error: WireError | undefined;
  /** Whether the answer ended completely. */
  ended = false;
  private reported: Usage | undefined;
  /** Output tokens of the latest report that covers the answer so far. */
  private reportedOutput: number | undefined;
  /** Bytes of the model's text since then. */
  private unreportedBytes = 0;

  /** Output tokens: the last report of the provider, and an estimate of what came after it. */
  get outputTokens(): number {
    return (this.reportedOutput ?? 0) + tokensOfBytes(this.unreportedBytes);
  }

  /** Whether the provider has not yet counted all of the output. */
  get isEstimate(): boolean {
    return this.reportedOutput === undefined || this.unreportedBytes > 0;
  }

  /** The provider's usage. If the answer broke off, an estimate of the uncounted output is added. */
  get usage(): Usage | undefined {
    const { reported } = this;
    if (!reported || !this.isEstimate) return reported;
    const field = OUTPUT_FIELDS.find(name => name in reported);
    if (field === undefined) return reported;
    return { ...reported, [field]: Math.max(countOf(reported[field]) ?? 0, this.outputTokens) };
  }

  /** The first id and model count, because later events repeat them. */
  name(part: Usage): void {
    this.id ??= textOf(part['id']);
    this.model ??= textOf(part['model']);
    // The last value counts, because a stream of responses begins with the requested tier.
    this.serviceTier = textOf(part['service_tier']) ?? this.serviceTier;
  }

  /** Counts a text that the model wrote. */
  wrote(text: unknown): void {
    if (typeof text === 'string') this.unreportedBytes += Buffer.byteLength(text);
  }

  /** Like {@link wrote}, for a text of which only the length is known. */
  wroteBytes(bytes: number): void {
    this.unreportedBytes += bytes;
  }

  /** Applies a usage object that counts everything so far. Missing fields keep their earlier values. */
  report(usage: unknown): void {
    if (!isRecord(usage)) return;
    this.merge(usage);
    const output = OUTPUT_FIELDS.map(field => countOf(usage[field])).find(count => count !== undefined);
    // An answer with embeddings has no output tokens and no field for them.
    this.reportedOutput = output ?? this.reportedOutput ?? ('prompt_tokens' in usage ? 0 : undefined);
    if (output !== undefined) this.unreportedBytes = 0;
  }

  /** Applies a usage object with incomplete output tokens, as Anthropic sends it before the first text. */
  begin(usage: unknown): void {
    if (isRecord(usage)) this.merge(usage);
  }

  private merge(usage: Usage): void {
    this.reported = this.reported ? { ...this.reported, ...withoutNulls(usage) } : usage;
  }

  /** Takes the provider's error object, or a text in its place. */
  fail(error: unknown): void {
    if (!isRecord(error)) {
      const message = textOf(error);
      if (message !== undefined) this.error ??= { message };
      return;
    }
    const [type, code, message] = ['type', 'code', 'message'].map(field => shortText(error[field]));
    this.error ??= {
      ...(type === undefined ? {} : { type }),
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
    };
  }
}

const LONGEST_TEXT = 1_000;

function shortText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return textOf(value)?.slice(0, LONGEST_TEXT).toWellFormed();
}

/** Anthropic sends null for fields that a later event does not count again. */
function withoutNulls(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}
