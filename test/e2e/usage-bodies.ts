/** A usage object in a provider's documented format, and the expected event. */
export interface HandWrittenBody {
  name: string;
  event: { provider: string; model: string; api_flavor: string; usage: object };
  tokens: {
    input_tokens: number;
    output_tokens: number;
    cache_read_tokens: number;
    cache_write_tokens: number;
    reasoning_tokens: number;
    units?: object | null;
  };
  /** US dollars. The calculation is in the comment beside the value. */
  cost: number;
}

/** Cases written by hand from the providers' public documentation: one for each format, and its special cases. */
export const HAND_WRITTEN_BODIES: readonly HandWrittenBody[] = [
  {
    name: 'OpenAI, chat completions',
    event: {
      provider: 'openai',
      model: 'gpt-4o',
      api_flavor: 'chat',
      usage: {
        prompt_tokens: 2_006,
        completion_tokens: 300,
        total_tokens: 2_306,
        prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    },
    tokens: tokens(2_006, 300, { cache_read_tokens: 1_920 }),
    // (86 × $2.50 + 1,920 × $1.25 + 300 × $10) / 1,000,000
    cost: 0.005615,
  },
  {
    name: 'OpenAI, chat completions of a streaming client that knows no details',
    event: {
      provider: 'openai',
      model: 'gpt-4o-mini-2024-07-18',
      api_flavor: 'chat',
      usage: {
        prompt_tokens: 1_000,
        completion_tokens: 500,
        total_tokens: 1_500,
        prompt_tokens_details: null,
        completion_tokens_details: null,
      },
    },
    tokens: tokens(1_000, 500),
    // (1,000 × $0.15 + 500 × $0.60) / 1,000,000
    cost: 0.00045,
  },
  {
    name: 'OpenAI, responses',
    event: {
      provider: 'openai',
      model: 'gpt-5-mini-2025-08-07',
      api_flavor: 'responses',
      usage: {
        input_tokens: 3_000,
        input_tokens_details: { cached_tokens: 1_000 },
        output_tokens: 800,
        output_tokens_details: { reasoning_tokens: 640 },
        total_tokens: 3_800,
      },
    },
    tokens: tokens(3_000, 800, { cache_read_tokens: 1_000, reasoning_tokens: 640 }),
    // (2,000 × $0.25 + 1,000 × $0.025 + 800 × $2) / 1,000,000
    cost: 0.002125,
  },
  {
    name: 'Anthropic, with a cache and a search',
    event: {
      provider: 'anthropic',
      model: 'claude-sonnet-4-20250514',
      api_flavor: 'default',
      usage: {
        input_tokens: 105,
        cache_creation_input_tokens: 2_000,
        cache_read_input_tokens: 6_000,
        cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 0 },
        output_tokens: 250,
        server_tool_use: { web_search_requests: 1 },
        service_tier: 'standard',
      },
    },
    tokens: tokens(8_105, 250, { cache_read_tokens: 6_000, cache_write_tokens: 2_000 }),
    // (105 × $3 + 2,000 × $3.75 + 6,000 × $0.30 + 250 × $15) / 1,000,000 + $0.01 for the search
    cost: 0.023365,
  },
  {
    name: 'Anthropic, where nothing was cached',
    event: {
      provider: 'anthropic',
      model: 'claude-3-5-haiku-20241022',
      api_flavor: 'default',
      usage: {
        input_tokens: 1_000,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        output_tokens: 100,
        server_tool_use: null,
        service_tier: null,
      },
    },
    tokens: tokens(1_000, 100),
    // (1,000 × $0.80 + 100 × $4) / 1,000,000
    cost: 0.0012,
  },
  {
    name: 'Gemini, whose thoughts are not among the candidates',
    event: {
      provider: 'google',
      model: 'gemini-2.5-flash',
      api_flavor: 'default',
      usage: {
        promptTokenCount: 1_000,
        cachedContentTokenCount: 400,
        candidatesTokenCount: 200,
        thoughtsTokenCount: 300,
        totalTokenCount: 1_500,
      },
    },
    tokens: tokens(1_000, 500, { cache_read_tokens: 400, reasoning_tokens: 300 }),
    // (600 × $0.30 + 400 × $0.03 + 500 × $2.50) / 1,000,000
    cost: 0.001442,
  },
  {
    name: 'Bedrock, converse',
    event: {
      provider: 'aws.bedrock',
      model: 'us.anthropic.claude-sonnet-4-20250514-v1:0',
      api_flavor: 'default',
      usage: {
        inputTokens: 30,
        outputTokens: 628,
        totalTokens: 7_658,
        cacheReadInputTokens: 5_000,
        cacheWriteInputTokens: 2_000,
      },
    },
    tokens: tokens(7_030, 628, { cache_read_tokens: 5_000, cache_write_tokens: 2_000 }),
    // (30 × $3 + 628 × $15 + 5,000 × $0.30 + 2,000 × $3.75) / 1,000,000
    cost: 0.01851,
  },
  {
    name: 'Azure, chat completions with filters beside the counts',
    event: {
      provider: 'azure',
      model: 'gpt-4o-2024-08-06',
      api_flavor: 'chat',
      usage: {
        completion_tokens: 40,
        prompt_tokens: 100,
        total_tokens: 140,
        completion_tokens_details: { reasoning_tokens: 0 },
        prompt_tokens_details: { cached_tokens: 0 },
      },
    },
    tokens: tokens(100, 40),
    // (100 × $2.50 + 40 × $10) / 1,000,000
    cost: 0.00065,
  },
  {
    name: 'a gateway that writes counts as text',
    event: {
      provider: 'openai',
      model: 'gpt-4o',
      api_flavor: 'chat',
      usage: { prompt_tokens: '100', completion_tokens: '40', prompt_tokens_details: { cached_tokens: '60' } },
    },
    tokens: tokens(100, 40, { cache_read_tokens: 60 }),
    // (40 × $2.50 + 60 × $1.25 + 40 × $10) / 1,000,000
    cost: 0.000575,
  },
];

function tokens(
  input_tokens: number,
  output_tokens: number,
  others: Partial<HandWrittenBody['tokens']> = {},
): HandWrittenBody['tokens'] {
  const none = { cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
  return { input_tokens, output_tokens, ...none, ...others };
}
