import { rowTemplate, type Row, type RowTemplate } from './row-template.js';
import { readTime, type TimeFormat } from './time-format.js';

/** Mapping of rows to usage events: one template per event field, and the format of times. */
export interface MappingOptions {
  /**
   * One template for each field of a usage event. `user_name` and `user_department` are fields of users to be created.
   */
  fields: Readonly<Record<string, string>>;
  timeFormat: TimeFormat;
  /** Origin of numeric times. Default: 1970. */
  timeOrigin?: Date;
}

/** The usage event and the user from a row. They are not validated yet. */
export interface MappedRow {
  event: Record<string, unknown>;
  person: { email: string; name?: string; department?: string };
  /** Whether the row contains no request. */
  isEmpty: boolean;
}

const NUMBERS = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'requests',
]);
const TEXTS = new Set([
  'id',
  'user_id',
  'user_email',
  'provider',
  'model',
  'occurred_at',
  'cost_usd',
  'project',
  'service_tier',
  'region',
]);
/** Prefix of a tag's key. */
const TAG = 'tag:';
const PERSON = new Set(['user_name', 'user_department']);
const REQUIRED = ['provider', 'model', 'occurred_at', 'input_tokens', 'output_tokens'];

/** The fields that a mapping may contain. */
export const MAPPABLE_FIELDS: readonly string[] = [...TEXTS, ...NUMBERS, ...PERSON];

/** Converts rows to events. */
export class RowMapping {
  private readonly templates: readonly (readonly [string, RowTemplate])[];
  private readonly originMs: number;

  /** @throws Error that names an unknown field, an unknown column or a missing field */
  constructor(
    private readonly options: MappingOptions,
    columns: readonly string[],
  ) {
    const fields = Object.keys(options.fields);
    const unknown = fields.find(field => !MAPPABLE_FIELDS.includes(field) && !field.startsWith(TAG));
    if (unknown !== undefined)
      throw new Error(`${unknown} is not a field; there are: ${MAPPABLE_FIELDS.join(', ')}, tag:<key>`);
    const missing = REQUIRED.find(field => !fields.includes(field));
    if (missing !== undefined)
      throw new Error(`${missing} is not mapped; say --field ${missing}=… (a constant will do)`);
    if (!fields.includes('user_email') && !fields.includes('user_id')) {
      throw new Error('nobody is named; say --field user_email=… or --field user_id=…');
    }
    this.templates = Object.entries(options.fields).map(
      ([field, text]) => [field, rowTemplate(text, columns)] as const,
    );
    this.originMs = options.timeOrigin?.getTime() ?? 0;
  }

  /**
   * Converts a row to an event. `rowId` becomes the event's id, unless a template sets the id. `shiftMs` is added to
   * its time.
   */
  map(row: Row, rowId: string, shiftMs: number): MappedRow {
    const event: Record<string, unknown> = { id: rowId };
    const person: MappedRow['person'] = { email: '' };
    const tags: Record<string, string> = {};
    for (const [field, template] of this.templates) {
      const text = template(row);
      if (field === 'user_name') Object.assign(person, filled('name', text));
      else if (field === 'user_department') Object.assign(person, filled('department', text));
      else if (field.startsWith(TAG)) Object.assign(tags, filled(field.slice(TAG.length), text));
      else if (field === 'project') Object.assign(event, filled(field, text));
      else if (field === 'occurred_at') event[field] = this.instant(text, shiftMs);
      else event[field] = NUMBERS.has(field) ? numeric(text) : text;
    }
    if (Object.keys(tags).length > 0) event['tags'] = tags;
    if (typeof event['user_email'] === 'string') person.email = event['user_email'];
    return { event, person, isEmpty: event['requests'] === 0 };
  }

  /** The time of a row in Unix milliseconds, or null. */
  timeOf(row: Row): number | null {
    const template = this.templates.find(([field]) => field === 'occurred_at')?.[1];
    return template ? readTime(template(row), this.options.timeFormat, this.originMs) : null;
  }

  private instant(text: string, shiftMs: number): string {
    const time = readTime(text, this.options.timeFormat, this.originMs);
    // An unreadable time is passed on unchanged, so that the error message contains the text from the file.
    return time === null ? text : new Date(time + shiftMs).toISOString();
  }
}

/** An empty cell counts as missing. */
function filled(field: string, text: string): Record<string, string> {
  return text.trim() === '' ? {} : { [field]: text.trim() };
}

function numeric(text: string): number | string {
  return /^\d{1,16}(\.0+)?$/.test(text.trim()) ? Number(text) : text;
}
