export { DatedRates, ratesWithin, type DaysWithoutRate } from './dated-rates.js';
export {
  addedCosts,
  CONVERTED_COLUMNS,
  convertedOf,
  convertedText,
  NO_COST,
  type ConvertedCost,
  type ConvertedTexts,
} from './converted-cost.js';
