import { CheckedField, ChoiceField, PageQueryDto, TextField, UuidField, type FieldOptions } from '#access';
import { CurrencyField, REPORT_CURRENCY } from './currency-field.js';
import { parseCalendarDate, PERIODS, type Period } from '../periods/index.js';

/** Filters of the usage list (interface specification, section 4.6). */
export class UsageQueryDto extends PageQueryDto {
  @ChoiceField(PERIODS, { optional: true, default: 'daily', description: 'Length of the periods, all in UTC.' })
  period?: Period;

  @DayField({ optional: true, description: 'First day, inclusive, UTC. Default: the day of the first usage.' })
  start_date?: string;

  @DayField({ optional: true, description: 'Last day, inclusive, UTC. Default: the day of the latest usage.' })
  end_date?: string;

  @UuidField({ optional: true, description: 'Restrict to one user.' })
  user_id?: string;

  @TextField({ max: 255, optional: true, description: 'Restrict to one model name.', example: 'gpt-4o' })
  model?: string;

  @CurrencyField(REPORT_CURRENCY)
  currency?: string;
}

/** A calendar day, `YYYY-MM-DD`. */
export function DayField(options: FieldOptions): PropertyDecorator {
  return CheckedField({ ...options, example: '2026-11-20' }, { type: String, format: 'date' }, value =>
    typeof value === 'string' && parseCalendarDate(value)
      ? undefined
      : 'must be an existing day as YYYY-MM-DD between 1970-01-01 and 9999-12-31',
  );
}
