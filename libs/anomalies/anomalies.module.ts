import { Module } from '@nestjs/common';
import { UsageActivity, UserDirectory } from '#core';
import type { Library } from '#database';
import { AnomalyConfiguration } from './configuration/anomaly-configuration.js';
import { AnomaliesController } from './http/anomalies.controller.js';
import { AnomaliesMigration0800 } from './migrations/0800-anomalies.migration.js';
import { AnomaliesService } from './record/anomalies.service.js';
import { AnomalyFeedbackService } from './record/anomaly-feedback.service.js';
import { AnomalyLedger } from './record/anomaly-ledger.js';
import { Detection } from './run/detection.js';
import { DetectionJob } from './run/detection-job.js';
import { Leavers } from './run/leavers.js';
import { AnomalySettingsService } from './settings/anomaly-settings.service.js';
import { AnomalySimulator } from './simulate/anomaly-simulator.js';
import { AnomaliesOverview } from './record/anomalies-overview.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Nest module for the detection of unusual usage. */
@Module({})
export class AnomaliesModule {
  static readonly library: Library = {
    name: 'anomalies',
    providers: [
      AnomaliesService,
      AnomalyFeedbackService,
      AnomalyLedger,
      AnomaliesOverview,
      AnomalySettingsService,
      AnomalySimulator,
      AnomalyConfiguration,
      Detection,
      DetectionJob,
      Leavers,
    ],
    requires: [UserDirectory, UsageActivity],
    controllers: [AnomaliesController],
    entities: [],
    migrations: [
      {
        name: '0800_anomalies',
        class: AnomaliesMigration0800,
        tables: ['anomalies', 'anomaly_people', 'anomaly_settings', 'anomaly_watches'],
      },
    ],
    personal: PERSONAL_TABLES,
    exports: [AnomaliesService, AnomalyFeedbackService, AnomalySettingsService, AnomalySimulator, DetectionJob],
  };
}
