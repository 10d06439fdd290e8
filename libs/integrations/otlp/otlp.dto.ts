import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const integer = (key: string, intValue: string) => ({ key, value: { intValue } });

/** An export with one GenAI span. */
const EXPORT_EXAMPLE = {
  resourceSpans: [
    {
      resource: { attributes: [text('service.name', 'chat')] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
              spanId: '00f067aa0ba902b7',
              name: 'chat gpt-4o',
              startTimeUnixNano: '1795165143000000000',
              attributes: [
                text('gen_ai.operation.name', 'chat'),
                text('gen_ai.provider.name', 'openai'),
                text('gen_ai.response.model', 'gpt-4o'),
                integer('gen_ai.usage.input_tokens', '1250'),
                integer('gen_ai.usage.output_tokens', '310'),
                text('user.email', 'ada@example.com'),
              ],
            },
          ],
        },
      ],
    },
  ],
};

/** Spans to report, for the API reference; they are read by hand-written checks. */
@ApiSchema({ name: 'GovernanceOtlpTracesDto' })
export class OtlpTracesDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'As in OTLP 1.x (JSON).',
    example: EXPORT_EXAMPLE.resourceSpans,
  })
  resourceSpans!: object[];
}

/** What was not taken. */
@ApiSchema({ name: 'GovernanceOtlpPartialSuccessDto' })
export class OtlpPartialSuccessDto {
  @ApiProperty({ description: 'Number of spans, as a text.', example: '1' })
  rejectedSpans!: string;

  @ApiProperty({ example: 'span 0: user_email names no user of your organization; create the user first' })
  errorMessage!: string;
}

/** OTLP's answer. */
@ApiSchema({ name: 'GovernanceOtlpTracesAnswerDto' })
export class OtlpTracesAnswerDto {
  @ApiPropertyOptional({ type: OtlpPartialSuccessDto, description: 'Only where spans were rejected.' })
  partialSuccess?: OtlpPartialSuccessDto;
}
