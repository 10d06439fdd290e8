import type { GovernedCalls } from '#calls';
import type { ScriptedTool } from '../../support/providers/script.js';

/** The ways to govern a call. */
export const WAYS = ['in process', 'through the gateway'] as const;
export type Way = (typeof WAYS)[number];

/** The options that are common to all ways. */
export function inEveryWay(promptTokens: number): Record<Way, number> {
  return { 'in process': promptTokens, 'through the gateway': promptTokens };
}

/** How a driver reaches a provider: directly, with our middleware in the process, or through the gateway. */
export interface Access {
  /** Base URL of the provider, or of its gateway path, without `/v1`. */
  readonly root: string;
  readonly apiKey: string;
  /** How often the SDK may retry. */
  readonly maxRetries: number;
  /** The options of a middleware in the process; undefined through the gateway. */
  readonly inProcess: { readonly calls: GovernedCalls; readonly orgId: string; readonly user_id: string } | undefined;
}

/** A tool call as the SDK returns it. */
export type CalledTool = ScriptedTool;

export interface Said {
  text: string;
  tools: CalledTool[];
}

export interface AskOptions {
  /** Offers the tool {@link FORECAST}. */
  readonly tools?: boolean;
}

export interface StreamOptions extends AskOptions {
  readonly signal?: AbortSignal;
  /** Called with each piece of text as it arrives. */
  onText?(text: string): void;
}

/** An SDK for one endpoint of a provider. Each method makes one call, with one prompt of forty letters. */
export interface Driver {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic';
  /** The estimated tokens of the prompt, which count if the provider has not reported any. */
  readonly promptTokens: Readonly<Record<Way, number>>;
  /** Whether the middleware learns the id and the model version of an answer before its end. */
  readonly namesBrokenStreams: boolean;
  /** Whether the SDK treats a stream that ends normally but too early as an error. The gateway makes it an error. */
  readonly noticesShortStreams: boolean;
  plain(access: Access, options?: AskOptions): Promise<Said>;
  stream(access: Access, options?: StreamOptions): Promise<Said>;
  /** The details of an SDK error about its answer. */
  failureOf(error: unknown): { status: number | undefined; code?: unknown };
}

/** A prompt of ten tokens. The enclosing message adds further tokens. */
export const PROMPT = 'x'.repeat(40);

/** The tool that tests offer to the model. */
export const FORECAST = {
  name: 'forecast',
  description: 'Weather of the next days',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number' } },
    required: ['city', 'days'],
  },
} as const;

/** A call of the tool. Name and arguments fill whole tokens, so that estimates are exact. */
export const FORECAST_CALL: ScriptedTool = { name: FORECAST.name, arguments: { city: 'Zürich', days: 3 } };
