import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f } from '#access';

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const integer = (key: string, intValue: string) => ({ key, value: { intValue } });

/** Example of an export with one GenAI span. */
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

/** Example of an export with one request of Claude Code. */
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

/** Example of an export with the tokens that one session used. */
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

const LISTED = 'As in OTLP 1.x (JSON).';

/** Query of the routes that receive telemetry. */
export class OtlpCostQueryDto {
  @ChoiceField(['catalogue', 'reported'], {
    optional: true,
    default: 'catalogue',
    description: 'Source of the price: this service’s prices, or the cost that Claude Code reports.',
  })
  cost?: 'catalogue' | 'reported';
}

/** Spans to report. This class only documents the API; hand-written checks read the spans. */
@ApiSchema({ name: 'GovernanceOtlpTracesDto' })
export class OtlpTracesDto extends dtoOf({
  resourceSpans: f.records(EXPORT_EXAMPLE.resourceSpans, LISTED),
}) {}

/** Log records to report. */
@ApiSchema({ name: 'GovernanceOtlpLogsDto' })
export class OtlpLogsDto extends dtoOf({
  resourceLogs: f.records(LOGS_EXAMPLE, LISTED),
}) {}

/** Metrics to report. */
@ApiSchema({ name: 'GovernanceOtlpMetricsDto' })
export class OtlpMetricsDto extends dtoOf({
  resourceMetrics: f.records(METRICS_EXAMPLE, LISTED),
}) {}

const COUNT = f.text('1', 'Number of rejected items, as a string.');
const REASON = f.text('span 0: user_email names no user of your organization; create the user first');
const PARTIAL = 'Only if something was rejected.';

/** Number of rejected spans. */
@ApiSchema({ name: 'GovernanceOtlpPartialSuccessDto' })
class OtlpPartialSuccessDto extends dtoOf({
  rejectedSpans: COUNT,
  errorMessage: REASON,
}) {}

/** Number of rejected log records. */
@ApiSchema({ name: 'GovernanceOtlpPartialLogsDto' })
class OtlpPartialLogsDto extends dtoOf({
  rejectedLogRecords: COUNT,
  errorMessage: REASON,
}) {}

/** Number of rejected data points. */
@ApiSchema({ name: 'GovernanceOtlpPartialMetricsDto' })
class OtlpPartialMetricsDto extends dtoOf({
  rejectedDataPoints: COUNT,
  errorMessage: REASON,
}) {}

/** OTLP's response to spans. */
@ApiSchema({ name: 'GovernanceOtlpTracesAnswerDto' })
export class OtlpTracesAnswerDto extends dtoOf({
  partialSuccess: f.nested(OtlpPartialSuccessDto, PARTIAL).optional(),
}) {}

/** OTLP's response to log records. */
@ApiSchema({ name: 'GovernanceOtlpLogsAnswerDto' })
export class OtlpLogsAnswerDto extends dtoOf({
  partialSuccess: f.nested(OtlpPartialLogsDto, PARTIAL).optional(),
}) {}

/** OTLP's response to metrics. */
@ApiSchema({ name: 'GovernanceOtlpMetricsAnswerDto' })
export class OtlpMetricsAnswerDto extends dtoOf({
  partialSuccess: f.nested(OtlpPartialMetricsDto, PARTIAL).optional(),
}) {}
