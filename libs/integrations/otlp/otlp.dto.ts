import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ChoiceField } from '#access';

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

const REQUEST_ATTRIBUTES = [
  text('event.name', 'api_request'),
  text('model', 'claude-sonnet-4-5'),
  integer('input_tokens', '12'),
  integer('output_tokens', '310'),
  integer('cache_read_tokens', '84562'),
  text('request_id', 'req_011CTj2Q'),
  text('user.email', 'ada@example.com'),
];

/** An export with one request of Claude Code. */
const LOGS_EXAMPLE = [
  {
    resource: { attributes: [text('service.name', 'claude-code')] },
    scopeLogs: [
      {
        logRecords: [
          {
            timeUnixNano: '1795165143000000000',
            body: { stringValue: 'claude_code.api_request' },
            attributes: REQUEST_ATTRIBUTES,
          },
        ],
      },
    ],
  },
];

/** An export with the tokens that one session used. */
const METRICS_EXAMPLE = [
  {
    resource: { attributes: [text('service.name', 'claude-code'), text('governance.usage', 'metrics')] },
    scopeMetrics: [
      {
        metrics: [
          {
            name: 'claude_code.token.usage',
            sum: {
              aggregationTemporality: 1,
              dataPoints: [
                {
                  startTimeUnixNano: '1795165083000000000',
                  timeUnixNano: '1795165143000000000',
                  asInt: '310',
                  attributes: [
                    text('type', 'output'),
                    text('model', 'claude-sonnet-4-5'),
                    text('user.email', 'ada@example.com'),
                  ],
                },
              ],
            },
          },
        ],
      },
    ],
  },
];

const LISTED = {
  type: 'array',
  items: { type: 'object', additionalProperties: true },
  description: 'As in OTLP 1.x (JSON).',
} as const;

/** How telemetry is read. */
export class OtlpCostQueryDto {
  @ChoiceField(['catalogue', 'reported'], {
    optional: true,
    default: 'catalogue',
    description: 'Source of the price: this service’s prices, or the cost that Claude Code reports.',
  })
  cost?: 'catalogue' | 'reported';
}

/** Spans to report, for the API reference; they are read by hand-written checks. */
@ApiSchema({ name: 'GovernanceOtlpTracesDto' })
export class OtlpTracesDto {
  @ApiProperty({ ...LISTED, example: EXPORT_EXAMPLE.resourceSpans })
  resourceSpans!: object[];
}

/** Log records to report. */
@ApiSchema({ name: 'GovernanceOtlpLogsDto' })
export class OtlpLogsDto {
  @ApiProperty({ ...LISTED, example: LOGS_EXAMPLE })
  resourceLogs!: object[];
}

/** Metrics to report. */
@ApiSchema({ name: 'GovernanceOtlpMetricsDto' })
export class OtlpMetricsDto {
  @ApiProperty({ ...LISTED, example: METRICS_EXAMPLE })
  resourceMetrics!: object[];
}

const COUNT = { description: 'Number of rejected items, as a string.', example: '1' };
const REASON = { example: 'span 0: user_email names no user of your organization; create the user first' };
const PARTIAL = 'Only if something was rejected.';

/** Spans that were not taken. */
@ApiSchema({ name: 'GovernanceOtlpPartialSuccessDto' })
export class OtlpPartialSuccessDto {
  @ApiProperty(COUNT)
  rejectedSpans!: string;

  @ApiProperty(REASON)
  errorMessage!: string;
}

/** Log records that were not taken. */
@ApiSchema({ name: 'GovernanceOtlpPartialLogsDto' })
export class OtlpPartialLogsDto {
  @ApiProperty(COUNT)
  rejectedLogRecords!: string;

  @ApiProperty(REASON)
  errorMessage!: string;
}

/** Data points that were not taken. */
@ApiSchema({ name: 'GovernanceOtlpPartialMetricsDto' })
export class OtlpPartialMetricsDto {
  @ApiProperty(COUNT)
  rejectedDataPoints!: string;

  @ApiProperty(REASON)
  errorMessage!: string;
}

/** OTLP's answer to spans. */
@ApiSchema({ name: 'GovernanceOtlpTracesAnswerDto' })
export class OtlpTracesAnswerDto {
  @ApiPropertyOptional({ type: OtlpPartialSuccessDto, description: PARTIAL })
  partialSuccess?: OtlpPartialSuccessDto;
}

/** OTLP's answer to log records. */
@ApiSchema({ name: 'GovernanceOtlpLogsAnswerDto' })
export class OtlpLogsAnswerDto {
  @ApiPropertyOptional({ type: OtlpPartialLogsDto, description: PARTIAL })
  partialSuccess?: OtlpPartialLogsDto;
}

/** OTLP's answer to metrics. */
@ApiSchema({ name: 'GovernanceOtlpMetricsAnswerDto' })
export class OtlpMetricsAnswerDto {
  @ApiPropertyOptional({ type: OtlpPartialMetricsDto, description: PARTIAL })
  partialSuccess?: OtlpPartialMetricsDto;
}
