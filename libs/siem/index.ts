// The audit log and security events as a stream to a SIEM.
export { SIEM_OPTIONS, SIEM_RULES, type SiemOptions } from './siem.options.js';
export { SiemModule } from './siem.module.js';
export { AuditSink, type AuditRecord } from './sinks/audit-sink.port.js';
export { sinkConflicts } from './sinks/configured-sink.js';
