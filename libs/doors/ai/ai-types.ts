// What this door reads of the AI SDK's interfaces of version 4 (`@ai-sdk/provider`), so that it needs none of its packages.

/** The model that is wrapped. */
export interface AiModel {
  /** Such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
}

/** Parameters of one call. */
export interface AiCallParams {
  readonly prompt: unknown;
  readonly tools?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: unknown;
}

/** An answer as a whole. */
export interface AiGenerated {
  readonly content: readonly object[];
  readonly usage: unknown;
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined;
}

/** One part of a stream. */
export interface AiPart {
  readonly type: string;
}

/** An answer in parts. */
export interface AiStreamed<Part extends AiPart = AiPart> {
  readonly stream: ReadableStream<Part>;
}
