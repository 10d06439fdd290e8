const EVENT = {
  id: 'req_7f3a9c52',
  user_email: 'ada@example.com',
  provider: 'openai',
  model: 'gpt-4o',
  occurred_at: '2026-11-20T12:59:03Z',
};
const COUNTED = { ...EVENT, input_tokens: 1250, cache_read_tokens: 1000, output_tokens: 310 };
const METERED = {
  ...EVENT,
  id: 'req_7f3a9c53',
  usage: { prompt_tokens: 1250, completion_tokens: 310, prompt_tokens_details: { cached_tokens: 1000 } },
};

/** One event with token counts, and one with the provider's usage object. */
export const BATCH_EXAMPLE = { events: [COUNTED, METERED] };

/** The example events as NDJSON. */
export const NDJSON_EXAMPLE = `${JSON.stringify(COUNTED)}\n${JSON.stringify(METERED)}\n`;

/** An event as a CloudEvent. Its data omits fields of the envelope. */
export const CLOUD_EVENTS_EXAMPLE = [
  {
    specversion: '1.0',
    id: EVENT.id,
    source: '/gateways/eu-west',
    type: 'com.example.llm.usage',
    time: EVENT.occurred_at,
    subject: EVENT.user_email,
    data: {
      provider: EVENT.provider,
      model: EVENT.model,
      input_tokens: COUNTED.input_tokens,
      cache_read_tokens: COUNTED.cache_read_tokens,
      output_tokens: COUNTED.output_tokens,
    },
  },
];
