export { CsvTable, type CsvColumn } from './csv-table.js';
