import { decimalToPico, picoToDecimalString } from '../prices/index.js';
import { FIGURES } from './figures.js';

/** One figure of usage. */
export type Figure = (typeof FIGURES)[number];

/** The figures that count. */
export const COUNTS = FIGURES.filter(figure => figure.unit !== 'usd');

/** The figures in US dollars. */
export const MONEY = FIGURES.filter(figure => figure.unit === 'usd');

type CountName = (typeof COUNTS)[number]['name'];
type MoneyName = (typeof MONEY)[number]['name'];

/** What is added up of usage; money in picodollars. All exact. */
export type Figures = Readonly<Record<Figure['name'], bigint>>;

/** Figures as they are added up from events, where counts are numbers because that is faster. */
export type EventSums = Record<CountName, number> & Record<MoneyName, bigint>;

/** Figures as PostgreSQL answers them. */
export type FigureTexts = Record<Figure['column'], string>;

/** Nothing used. */
export const NO_FIGURES: Figures = byName(() => 0n);

/** Where the sums of events begin. */
export const NO_SUMS: Readonly<EventSums> = {
  ...recordOf(COUNTS, ({ name }) => [name, 0]),
  ...recordOf(MONEY, ({ name }) => [name, 0n]),
};

/** The columns of the figures as SQL, each as `sql` writes it: `column` by itself where nothing is given. */
export function figureColumns(sql: (column: Figure['column']) => string = column => column): string {
  return FIGURES.map(({ column }) => sql(column)).join(', ');
}

/** Figures from what PostgreSQL answers. */
export function figuresOf(row: FigureTexts): Figures {
  return byName(({ column, unit }) => (unit === 'usd' ? decimalToPico(row[column]) : BigInt(row[column])));
}

/** One set of figures and another, each multiplied by `sign`. */
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

/** A record with one entry for each of a list. */
export function recordOf<Item, Key extends string, Value>(
  list: readonly Item[],
  entryOf: (item: Item) => [Key, Value],
): Record<Key, Value> {
  // Every key is the key of one item of the table, and the table has no others.
  return Object.fromEntries(list.map(entryOf)) as Record<Key, Value>;
}
