export { openAnomalyFile, type AnomalyFile, type AnomalyFileKind } from './anomaly-file.js';
export { AnomalyFileError } from './cells.js';
export { evaluatePeople, type PersonVerdict } from './evaluate-people.js';
export { evaluateSeries, type SeriesVerdict } from './evaluate-series.js';
