export { FIGURES, type CountFigure, type MoneyFigure } from './figures.js';
export {
  added,
  COUNTS,
  figureColumns,
  figuresOf,
  figureText,
  MONEY,
  NO_FIGURES,
  recordOf,
  type Figure,
  type Figures,
  type FigureTexts,
} from './sums.js';
