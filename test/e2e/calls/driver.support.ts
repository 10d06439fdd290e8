import type { GovernedCalls } from '#calls';
import type { ScriptedTool } from '../../support/providers/script.js';

/** The ways in which a call is governed. */
export const WAYS = ['in process', 'through the gateway'] as const;
export type Way = (typeof WAYS)[number];

/** The same in every way. */
export function inEveryWay(promptTokens: number): Record<Way, number> {
  return { 'in process': promptTokens, 'through the gateway': promptTokens };
}

/** How a driver reaches a provider: straight, with a door of ours in the process, or through the gateway. */
export interface Access {
  /** Root of the provider or of its place in the gateway, without `/v1`. */
  readonly root: string;
  readonly apiKey: string;
  /** How often the SDK may try again. */
  readonly maxRetries: number;
  /** What a door in the process needs; undefined through the gateway. */
  readonly door: { readonly calls: GovernedCalls; readonly orgId: string; readonly user_id: string } | undefined;
}

/** A tool call as the SDK hands it out. */
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
  /** Called with each text as it comes. */
  onText?(text: string): void;
}

/** An SDK in front of one endpoint of a provider. Each method makes one call, with one prompt of forty letters. */
export interface Driver {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic';
  /** What the prompt is estimated at, where the provider has not counted it. */
  readonly promptTokens: Readonly<Record<Way, number>>;
  /** Whether the door learns the id of an answer, and the version that answered, before the answer has ended. */
  readonly namesBrokenStreams: boolean;
  /** Whether the SDK takes a stream that ends in order, but too early, for an error; the gateway makes it one. */
  readonly noticesShortStreams: boolean;
  plain(access: Access, options?: AskOptions): Promise<Said>;
  stream(access: Access, options?: StreamOptions): Promise<Said>;
  /** What an error of the SDK says of the answer that it was raised for. */
  failureOf(error: unknown): { status: number | undefined; code?: unknown };
}

/** A prompt of ten tokens, without those of a message around it. */
export const PROMPT = 'x'.repeat(40);

/** A tool to offer. */
export const FORECAST = {
  name: 'forecast',
  description: 'Weather of the next days',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number' } },
    required: ['city', 'days'],
  },
} as const;

/** How it is called: name and arguments are of whole tokens, so that estimates are exact. */
export const FORECAST_CALL: ScriptedTool = { name: FORECAST.name, arguments: { city: 'Zürich', days: 3 } };
