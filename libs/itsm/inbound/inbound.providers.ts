import type { Provider, Type } from '@nestjs/common';
import type { EntityClass } from '@mikro-orm/core';
import { InboundController } from './http/inbound.controller.js';
import { InboundSettingsController } from './http/inbound-settings.controller.js';
import { ReportReader } from './http/report-reader.js';
import { InboundUpdates } from './inbound-updates.js';
import { InboundMetrics } from './inbound-metrics.js';
import { ReportCredentials } from './report-credentials.js';
import { ParkedUpdates } from './parked-updates.js';
import { InboundSettings } from './settings/inbound-settings.entity.js';
import { InboundSettingsService } from './settings/inbound-settings.service.js';
import { TicketReports } from './ticket-reports.js';

/** Providers that process ticket reports. */
export const inboundProviders: Provider[] = [
  InboundSettingsService,
  InboundUpdates,
  InboundMetrics,
  ReportCredentials,
  ParkedUpdates,
  ReportReader,
  TicketReports,
];

export const inboundControllers: Type<unknown>[] = [InboundSettingsController, InboundController];

export const inboundEntities: EntityClass<object>[] = [InboundSettings];
