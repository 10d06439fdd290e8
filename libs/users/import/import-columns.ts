import { BadRequestError, type FieldError } from '#core';

/** Values of one line, as the fields of a body that creates or changes a user. */
export interface PersonDraft {
  fields: Record<string, unknown>;
  /** Custom attributes by name; undefined removes the attribute. */
  attributes: Map<string, string | number | boolean | undefined>;
}

/** Writes a cell into a draft; returns the fault of the cell. */
type Column = (cell: string, draft: PersonDraft) => FieldError | undefined;

const ATTRIBUTE = /^attributes\.(.+?)(?::(text|number|boolean))?$/i;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Parsers of the columns. In most columns, an empty cell leaves the value unchanged; an empty department removes the
 * department.
 */
const COLUMNS: ReadonlyMap<string, (cell: string) => unknown> = new Map(
  Object.entries<(cell: string) => unknown>({
    email: cell => cell,
    name: cell => cell,
    department: cell => (cell === '' ? null : cell),
    role: cell => (cell === '' ? undefined : cell),
    status: cell => (cell === '' ? undefined : cell.toLowerCase()),
  }),
);

/**
 * Parses the header line.
 * @throws BadRequestError naming every invalid column
 */
export function columnsOf(header: readonly string[]): Column[] {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  const columns = header.map(title => {
    const [field, column] = columnOf(title);
    if (column === undefined) {
      const known = [...COLUMNS.keys(), 'attributes.<name>'].join(', ');
      faults.push({ field: title, message: `is not a column of users; use one of: ${known}` });
    } else if (seen.has(field)) faults.push({ field: title, message: 'appears twice in the header line' });
    seen.add(field);
    return column ?? (() => undefined);
  });
  if (!seen.has('email'))
    faults.push({ field: 'email', message: 'is missing in the header line, the first line of the file' });
  if (faults.length > 0) throw BadRequestError.fields(faults);
  return columns;
}

function columnOf(title: string): [string, Column | undefined] {
  const field = title.toLowerCase();
  const read = COLUMNS.get(field);
  if (read) {
    return [
      field,
      (cell, { fields }) => {
        const value = read(cell);
        if (value !== undefined) fields[field] = value;
        return undefined;
      },
    ];
  }
  const [, name, type] = ATTRIBUTE.exec(title) ?? [];
  return name === undefined ? [title, undefined] : [`attributes.${name}`, attributeColumn(name, type?.toLowerCase())];
}

function attributeColumn(name: string, type: string | undefined): Column {
  return (cell, { attributes }) => {
    const value = cell === '' ? undefined : valueOf(cell, type);
    if (value === null) return { field: `attributes.${name}`, message: `must be ${EXAMPLES.get(type ?? '')}` };
    attributes.set(name, value);
    return undefined;
  };
}

const EXAMPLES = new Map(Object.entries({ number: 'a number, such as 7 or 0.5', boolean: 'true or false' }));

/**
 * The value of a cell. Null if the cell does not have the type of its column. In a column without a type, a cell is
 * text: `007` is not a number.
 */
function valueOf(cell: string, type: string | undefined): string | number | boolean | null {
  if (type === 'number') return NUMBER.test(cell) ? Number(cell) : null;
  if (type !== 'boolean') return cell;
  const word = cell.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}
