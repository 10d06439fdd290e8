import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { CsvColumn } from '#access';
import { FIGURES, figureText, recordOf, type Figure, type Figures } from '../figures/index.js';

type CostField = Extract<Figure, { unit: 'usd' }>['field'];

/** All figures of usage as fields of the API. `Cost` is the type of the costs. */
export type FigureFields<Cost = number> = Record<Exclude<Figure['field'], CostField>, number> & Record<CostField, Cost>;

/** Descriptions of figures in a certain report, where they differ from those in the table of figures. */
interface FigureWords {
  readonly nullable?: true;
  readonly minimum?: 0;
  readonly description?: string;
}

/** Response fields, followed by all figures of usage. */
export function withFigures<Fields extends object, Cost>(
  fields: Type<Fields>,
  words: Partial<Record<Figure['name'], FigureWords>>,
): Type<Fields & FigureFields<Cost>> {
  class WithFigures extends (fields as Type<object>) {}
  for (const { name, field, unit, example, ...figure } of FIGURES) {
    const { description = figure.description, ...bounds } = words[name] ?? {};
    const type = unit === 'usd' ? { type: Number } : ({ type: 'integer', minimum: 0 } as const);
    ApiProperty({ ...type, ...bounds, description, example })(WithFigures.prototype, field);
  }
  // The fields exist only in the OpenAPI document. Responses are plain objects.
  return WithFigures as Type<Fields & FigureFields<Cost>>;
}

/** Each figure converted to the nearest floating-point number. */
export function presentFigures(figures: Figures): FigureFields {
  return recordOf(FIGURES, figure => [figure.field, Number(figureText(figure, figures))]);
}

/** One column per figure. `textOf` formats the values of the column. */
export function figureCsv<Row>(
  figuresOf: (row: Row) => Figures,
  textOf: (figure: Figure, figures: Figures) => string | null = figureText,
): CsvColumn<Row>[] {
  return FIGURES.map(figure => ({
    header: figure.field,
    value: row => textOf(figure, figuresOf(row)),
    numeric: true,
  }));
}

/** Header and example line of the figure columns in a CSV file, for the API reference. */
export const CSV_FIGURES = {
  header: FIGURES.map(({ field }) => field).join(','),
  example: FIGURES.map(({ unit, example }) => (unit === 'usd' ? example.toFixed(12) : example)).join(','),
};
