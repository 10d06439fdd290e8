export { FIGURES, type CountFigure, type MoneyFigure } from './figures.js';
export {
  added,
  COUNTS,
  figureColumns,
  figuresOf,
  figureText,
  MONEY,
  NO_FIGURES,
  NO_SUMS,
  recordOf,
  type EventSums,
  type Figure,
  type Figures,
  type FigureTexts,
} from './sums.js';
