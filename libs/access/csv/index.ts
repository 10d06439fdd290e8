// Lists and reports as tables.
export { acceptsCsv } from './accepts-csv.js';
export { CsvTable, type CsvColumn, type CsvValue } from './csv-table.js';
