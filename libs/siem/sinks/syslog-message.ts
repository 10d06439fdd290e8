import type { AuditRecord } from './audit-sink.port.js';

/** Syslog facility 13: log audit. */
const FACILITY = 13;

/** Severities of syslog, by `severity_id` of OCSF. */
const SEVERITIES = new Map([
  [1, 6],
  [2, 5],
  [3, 4],
  [4, 3],
  [5, 2],
]);
const NOTICE = 5;

/** A record as a message of RFC 5424. Its length in octets precedes the message (RFC 6587). */
export function syslogFrame(record: AuditRecord, host: string, processId: number): Buffer {
  const { event, at } = record;
  const severity = SEVERITIES.get(Number(event['severity_id'])) ?? NOTICE;
  const log = Reflect.get(Object(event['metadata']), 'log_name');
  const header = `<${FACILITY * 8 + severity}>1 ${at.toISOString()} ${printable(host)} nest-llm-governance ${processId}`;
  const message = Buffer.from(`${header} ${printable(String(log))} - ${JSON.stringify(event)}`, 'utf8');
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** A header field: printable ASCII without spaces. An empty field is written as `-`. */
function printable(text: string): string {
  const kept = text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 255);
  return kept === '' ? '-' : kept;
}
