import type { Clock } from '#core';
import type { EgressClient } from '#egress';
import type { SiemOptions } from '../siem.options.js';
import { NoAuditSink, type AuditSink } from './audit-sink.port.js';
import { FolderSink } from './folder-sink.js';
import { HttpSink } from './http-sink.js';
import { SyslogSink } from './syslog-sink.js';
import { readSyslogTarget } from './syslog-target.js';

/**
 * The configured sink.
 * @throws Error if the options name several sinks, or contradict each other
 */
export function configuredSink(options: SiemOptions, egress: EgressClient, clock: Clock): AuditSink {
  const { folder, syslog, syslogCa, url, token, header, format = 'ndjson', name } = options;
  const [conflict] = sinkConflicts(options);
  if (conflict !== undefined) throw new Error(conflict);
  if (folder !== undefined) return new FolderSink({ name: name ?? 'folder', folder }, clock);
  if (syslog !== undefined) {
    return new SyslogSink({ name: name ?? 'syslog', target: readSyslogTarget(syslog), ca: syslogCa });
  }
  if (url === undefined) return new NoAuditSink();
  return new HttpSink(egress, { name: name ?? 'http', url, format, headers: headersOf(token, header) });
}

function headersOf(token: string | undefined, header: string | undefined): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(header ?? '') ?? [];
  return name === '' ? {} : { [name.toLowerCase()]: value };
}

/** Contradictions between options. Each is described in one sentence, with the environment variables. */
export function sinkConflicts({ folder, syslog, url, token, header }: SiemOptions): string[] {
  return [Object.entries({ folder, syslog, url }), Object.entries({ token, header })].flatMap(choices => {
    const names = choices.flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (names.length < 2) return [];
    const variables = names.map(name => `GOVERNANCE_AUDIT_SINK_${name.toUpperCase()}`);
    return [`siem: ${names.join(' and ')} are set; keep one of ${variables.join(', ')}`];
  });
}
