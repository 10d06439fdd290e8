import { Transform } from 'class-transformer';
import { CheckedField, ChoiceField, CollectsFields, IntegerField, knownTimeZone, TextField, UuidField } from '#access';
import { BadRequestError, DIMENSION_MAX_LENGTH, tagsDefect, TAGS_MAX } from '#core';
import { PERIODS, type Period } from '../periods/index.js';
import { dimensionOf, GROUP_BY_MAX, NAMED_DIMENSIONS, type Dimension } from '../series/dimension.js';
import { METRICS, type MetricName } from '../series/metrics.js';
import { ORGANIZATION_ZONE, type SeriesQuery } from '../series/usage-series.service.js';
import { CurrencyField, REPORT_CURRENCY } from './currency-field.js';
import { DayField } from './usage-query.dto.js';

const NAME = 255;
const DEFAULT_TOP = 10;
const TOP_MAX = 1_000;
const DIMENSIONS = [...NAMED_DIMENSIONS, 'tag:<key>'].join(', ');

const wholeNumber = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

/** Filters and grouping of a usage report. */
@CollectsFields('tag:', 'tags')
export class UsageBreakdownQueryDto {
  @CheckedField(
    {
      optional: true,
      description: `Dimensions to group by: one or two of ${DIMENSIONS}, separated by a comma. Without it, everything is one group.`,
      example: 'department,model',
    },
    { type: String },
    groupByDefect,
  )
  group_by?: string;

  @ChoiceField(PERIODS, { optional: true, default: 'daily', description: 'Length of the periods, in the time zone.' })
  period?: Period;

  @CheckedField(
    {
      optional: true,
      default: 'UTC',
      description: 'An IANA name, or `organization` for the time zone of your organization, in which budgets run.',
      example: 'Europe/Berlin',
    },
    { type: String },
    value =>
      value === ORGANIZATION_ZONE || knownTimeZone(value) !== undefined
        ? undefined
        : 'must be `organization` or an IANA time zone, such as Europe/Berlin',
  )
  time_zone?: string;

  @DayField({
    optional: true,
    description: 'First day, inclusive, in the time zone. Default: the day of the first usage.',
  })
  start_date?: string;

  @DayField({
    optional: true,
    description: 'Last day, inclusive, in the time zone. Default: the day of the latest usage.',
  })
  end_date?: string;

  @IntegerField({
    min: 1,
    max: TOP_MAX,
    optional: true,
    default: DEFAULT_TOP,
    description: 'Number of groups to show, the largest first. The others are summed in `other`.',
  })
  @Transform(wholeNumber)
  top?: number;

  @CurrencyField(REPORT_CURRENCY)
  currency?: string;

  @UuidField({ optional: true, description: 'Restrict to one user.' })
  user_id?: string;

  @TextField({ max: NAME, optional: true, description: 'Restrict to one department.', example: 'Sales' })
  department?: string;

  @TextField({ max: DIMENSION_MAX_LENGTH, optional: true, description: 'Restrict to one project.', example: 'copilot' })
  project?: string;

  @TextField({ max: NAME, optional: true, description: 'Restrict to one model name.', example: 'gpt-4o' })
  model?: string;

  @TextField({ max: NAME, optional: true, description: 'Restrict to one provider.', example: 'openai' })
  provider?: string;

  @CheckedField(
    { optional: true, isHidden: true },
    { type: 'object', additionalProperties: { type: 'string' } },
    value =>
      tagsDefect(value) === undefined ? undefined : `must be up to ${TAGS_MAX} filters such as tag:team=search`,
  )
  tags?: Record<string, string>;
}

/** Filters, grouping and metric of a series. */
export class UsageSeriesQueryDto extends UsageBreakdownQueryDto {
  @ChoiceField(Object.keys(METRICS), {
    optional: true,
    default: 'cost_usd',
    description: 'The metric to sum. `tokens` is input plus output; `cost` is `cost_usd`.',
  })
  metric?: MetricName;
}

/** OpenAPI parameter of the tag filter, whose name contains a key. */
export const TAG_FILTER = {
  name: 'tag:{key}',
  required: false,
  description: 'Restrict to one value of a tag: `tag:team=search`.',
  schema: { type: 'string' },
} as const;

/**
 * Maps a query to a report; `userId` restricts the report to the usage that the caller may see.
 * @throws BadRequestError if it sets a currency for a metric other than the cost
 */
export function seriesQueryOf(query: UsageSeriesQueryDto, userId: string | undefined): SeriesQuery {
  if (query.currency !== undefined && !['cost', 'cost_usd'].includes(query.metric ?? 'cost_usd')) {
    throw BadRequestError.field('currency', 'needs the metric cost_usd; leave it out, or ask for the cost');
  }
  const { department, project, model, provider, tags, time_zone: timeZone = 'UTC' } = query;
  return {
    groupBy: dimensionsIn(query.group_by),
    metric: query.metric ?? 'cost_usd',
    period: query.period ?? 'daily',
    timeZone: timeZone === ORGANIZATION_ZONE ? timeZone : (knownTimeZone(timeZone) ?? 'UTC'),
    startDate: query.start_date,
    endDate: query.end_date,
    top: query.top ?? DEFAULT_TOP,
    currency: query.currency,
    ...{ userId, department, project, model, provider, tags },
  };
}

function dimensionsIn(groupBy: string | undefined): Dimension[] {
  return groupBy === undefined ? [] : groupBy.split(',').flatMap(name => dimensionOf(name.trim()) ?? []);
}

function groupByDefect(value: unknown): string | undefined {
  const message = `must be one or two different ones of ${DIMENSIONS}, separated by a comma`;
  if (typeof value !== 'string') return message;
  const names = value.split(',').map(name => name.trim());
  const isSound = names.length <= GROUP_BY_MAX && new Set(names).size === names.length;
  return isSound && names.every(name => dimensionOf(name) !== undefined) ? undefined : message;
}
