// The parts of the AI SDK's interfaces, version 4 (`@ai-sdk/provider`), that this library reads. None of the SDK's
// packages is required.

/** The model that is wrapped. */
export interface AiModel {
  /** Name of the provider, for example `openai.responses`. */
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

/** A complete answer. */
export interface AiGenerated {
  readonly content: readonly object[];
  readonly usage: unknown;
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined;
}

/** One part of a stream. */
export interface AiPart {
  readonly type: string;
}

/** A streamed answer. */
export interface AiStreamed<Part extends AiPart = AiPart> {
  readonly stream: ReadableStream<Part>;
}
