// Writes lists and reports as CSV.
export { acceptsCsv } from './accepts-csv.js';
export { CsvTable, type CsvColumn, type CsvValue } from './csv-table.js';
