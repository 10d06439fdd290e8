import { countOf, isRecord, textOf } from '../json.js';
import { tokensOfBytes } from '../request/input-estimate.js';

/** The error that the provider reported. */
export interface WireError {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
}

type Usage = Readonly<Record<string, unknown>>;

/** The fields in which the wire formats report the number of output tokens. */
export const OUTPUT_FIELDS = ['completion_tokens', 'output_tokens'] as const;

/** What has been read from one answer so far. */
export class AnswerFacts {
  id: string | undefined;
  model: string | undefined;
  /** The tier of the answer, if it stands beside the usage object, as in OpenAI's format. */
  serviceTier: string | undefined;
  error: WireError | undefined;
  /** Whether the end of the answer was received. */
  ended = false;
  private reported: Usage | undefined;
  /** Number of output tokens in the provider's latest report. */
  private reportedOutput: number | undefined;
  /** Number of bytes that the model has written since the latest report. */
  private unreportedBytes = 0;

  /** Number of output tokens: the number in the provider's latest report, plus an estimate for text after it. */
  get outputTokens(): number {
    return (this.reportedOutput ?? 0) + tokensOfBytes(this.unreportedBytes);
  }

  /** Whether the provider has not yet reported all of the output. */
  get isEstimate(): boolean {
    return this.reportedOutput === undefined || this.unreportedBytes > 0;
  }

  /**
   * The usage that the provider reported. If the answer broke off, it includes an estimate of the output that was not
   * reported.
   */
  get usage(): Usage | undefined {
    const { reported } = this;
    if (!reported || !this.isEstimate) return reported;
    const field = OUTPUT_FIELDS.find(name => name in reported);
    if (field === undefined) return reported;
    return { ...reported, [field]: Math.max(countOf(reported[field]) ?? 0, this.outputTokens) };
  }

  /** Keeps the first id and model. Later events only repeat them. */
  name(part: Usage): void {
    this.id ??= textOf(part['id']);
    this.model ??= textOf(part['model']);
    // Keeps the last tier, because the first events of a response contain the requested tier instead of the actual one.
    this.serviceTier = textOf(part['service_tier']) ?? this.serviceTier;
  }

  /** Counts a text that the model has written. */
  wrote(text: unknown): void {
    if (typeof text === 'string') this.unreportedBytes += Buffer.byteLength(text);
  }

  /** Like {@link wrote}, for a text of which only the length in bytes is known. */
  wroteBytes(bytes: number): void {
    this.unreportedBytes += bytes;
  }

  /** Applies a usage object that covers the whole answer so far. Fields that it lacks keep their earlier values. */
  report(usage: unknown): void {
    if (!isRecord(usage)) return;
    this.merge(usage);
    const output = OUTPUT_FIELDS.map(field => countOf(usage[field])).find(count => count !== undefined);
    // The answer of an embeddings request has no field for output tokens: its number of output tokens is 0.
    this.reportedOutput = output ?? this.reportedOutput ?? ('prompt_tokens' in usage ? 0 : undefined);
    if (output !== undefined) this.unreportedBytes = 0;
  }

  /**
   * Applies a usage object whose output tokens are incomplete. Anthropic sends such an object before the first text.
   */
  begin(usage: unknown): void {
    if (isRecord(usage)) this.merge(usage);
  }

  private merge(usage: Usage): void {
    this.reported = this.reported ? { ...this.reported, ...withoutNulls(usage) } : usage;
  }

  /** Stores the provider's error object, or the text that the provider sent instead. */
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

/** Removes nulls. In a later event, Anthropic sends null for a field whose value has not changed. */
function withoutNulls(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}
