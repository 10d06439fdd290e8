import { decimalToPico, picoToDecimalString } from '../prices/index.js';
import { FIGURES } from './figures.js';

/** One figure of usage. */
export type Figure = (typeof FIGURES)[number];

/** The figures that are counts. */
export const COUNTS = FIGURES.filter(figure => figure.unit !== 'usd');

/** The figures in US dollars. */
export const MONEY = FIGURES.filter(figure => figure.unit === 'usd');

/** Exact sums of usage; money in picodollars. */
export type Figures = Readonly<Record<Figure['name'], bigint>>;

/** Figures as PostgreSQL returns them. */
export type FigureTexts = Record<Figure['column'], string>;

/** Zero for every figure. */
export const NO_FIGURES: Figures = byName(() => 0n);

/** SQL list of the figures' columns. `sql` formats each column; by default, the column name is used as is. */
export function figureColumns(sql: (column: Figure['column']) => string = column => column): string {
  return FIGURES.map(({ column }) => sql(column)).join(', ');
}

/** Parses figures that PostgreSQL returned. */
export function figuresOf(row: FigureTexts): Figures {
  return byName(({ column, unit }) => (unit === 'usd' ? decimalToPico(row[column]) : BigInt(row[column])));
}

/** Adds one set of figures to another, multiplied by `sign`. */
export function added(one: Figures, other: Figures, sign: 1n | -1n = 1n): Figures {
  return byName(({ name }) => one[name] + sign * other[name]);
}

/** A figure as exact decimal text: a count, or US dollars with 12 places. */
export function figureText({ name, unit }: Pick<Figure, 'name' | 'unit'>, figures: Figures): string {
  return unit === 'usd' ? picoToDecimalString(figures[name]) : figures[name].toString();
}

function byName<Value>(valueOf: (figure: Figure) => Value): Record<Figure['name'], Value> {
  return recordOf(FIGURES, figure => [figure.name, valueOf(figure)]);
}

/** A record with one entry for each item of a list. */
export function recordOf<Item, Key extends string, Value>(
  list: readonly Item[],
  entryOf: (item: Item) => [Key, Value],
): Record<Key, Value> {
  // `entryOf` returns a different key for each item, and one item exists for each key.
  return Object.fromEntries(list.map(entryOf)) as Record<Key, Value>;
}
