// Anomalies: unusual usage, found and explained.
export { AnomaliesModule } from './anomalies.module.js';
export { ANOMALIES_OPTIONS, ANOMALIES_RULES, type AnomaliesOptions } from './anomalies.options.js';

// Run the detection now, without waiting for the next scheduled run
export { DetectionJob } from './run/detection-job.js';

// Read anomalies and give feedback
export { AnomaliesService, AnomalyNotFoundError, type AnomalyListQuery } from './record/anomalies.service.js';
export { AnomalyFeedbackService } from './record/anomaly-feedback.service.js';
export {
  ANOMALY_KINDS,
  FEEDBACKS,
  type Anomaly,
  type AnomalyKind,
  type AnomalyRule,
  type Feedback,
  type FoundAnomaly,
  type PlotPoint,
} from './record/anomaly.js';

// Change the settings
export { DEFAULT_ANOMALY_SETTINGS, type AnomalySettings } from './settings/anomaly-settings.js';
export { AnomalySettingsService, type ChosenSettings } from './settings/anomaly-settings.service.js';
export {
  AnomalySimulationUnderWayError,
  AnomalySimulator,
  type AnomalySimulation,
  type SimulatedAlarm,
} from './simulate/anomaly-simulator.js';

// Evaluate a file of usage with the same detectors
export {
  AnomalyFileError,
  evaluatePeople,
  evaluateSeries,
  openAnomalyFile,
  type AnomalyFile,
  type AnomalyFileKind,
  type PersonVerdict,
  type SeriesVerdict,
} from './evaluate/index.js';
