import { Module } from '@nestjs/common';
import { Clock } from '#core';
import type { Library } from '#database';
import { EgressClient } from '#egress';
import { SiemMigration0860 } from './migrations/0860-siem.migration.js';
import { PERSONAL_TABLES } from './personal-tables.js';
import { SIEM_OPTIONS, type SiemOptions } from './siem.options.js';
import { AuditSink } from './sinks/audit-sink.port.js';
import { configuredSink } from './sinks/configured-sink.js';
import { IncidentSpool } from './spool/incident-spool.js';
import { SecuritySpool } from './spool/security-spool.js';
import { AuditStream } from './stream/audit-stream.js';
import { DeletionHold } from './stream/deletion-hold.js';
import { RetentionHold } from './stream/retention-hold.js';
import { StreamMetrics } from './stream/stream-metrics.js';
import { StreamStore } from './stream/stream-store.js';

/** Stream of the audit log, security events and incidents to a SIEM. */
@Module({})
export class SiemModule {
  static readonly library: Library = {
    name: 'siem',
    providers: [AuditStream, StreamStore, StreamMetrics, RetentionHold, DeletionHold, SecuritySpool, IncidentSpool],
    ports: [
      {
        provide: AuditSink,
        inject: [SIEM_OPTIONS, EgressClient, Clock],
        useFactory: (options: SiemOptions, egress: EgressClient, clock: Clock): AuditSink =>
          configuredSink(options, egress, clock),
      },
    ],
    controllers: [],
    entities: [],
    migrations: [{ name: '0860_siem', class: SiemMigration0860, tables: ['siem_records', 'siem_streams'] }],
    personal: PERSONAL_TABLES,
    exports: [],
  };
}
