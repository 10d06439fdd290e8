export { CsvTable, formulaSafe, type CsvColumn, type CsvValue } from './csv-table.js';
