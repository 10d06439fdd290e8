import { option } from '#core';
import { readSyslogTarget } from './sinks/syslog-target.js';

/** Target for the audit log and security events. Set one of `folder`, `syslog` and `url`. */
export interface SiemOptions {
  /** Folder for JSON Lines files. It contains a folder per organization, with a file per UTC day. Default: none. */
  folder?: string;
  /** Syslog server: `tls://host:6514`, or `tcp://host:601` within a trusted network. Default: none. */
  syslog?: string;
  /** Certificates in PEM of the authorities that verify the syslog server. Default: the authorities of Node.js. */
  syslogCa?: string;
  /**
   * `https` URL of a collector that receives batches by POST. A private address needs an entry in `egress.allow`.
   * Default: none.
   */
  url?: string;
  /** Bearer token for the collector. A secret. Default: none. */
  token?: string;
  /** Header for the collector instead of a bearer token, such as `X-Api-Key: value`. A secret. Default: none. */
  header?: string;
  /** Format of a batch: `ndjson` (one event per line) or `json` (an array). Default: `ndjson`. */
  format?: 'ndjson' | 'json';
  /**
   * Name of the stream, under which its positions are stored: 1 to 40 characters of `a-z`, `0-9`, `-` and `_`. After a
   * change of the name, the stream begins again at the first row of the audit log. Default: `folder`, `syslog` or
   * `http`.
   */
  name?: string;
}

/** Valid names of a stream. */
export const STREAM_NAME = /^[a-z0-9_-]{1,40}$/;

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: *[\x20-\x7e]+$/;

/** Validation rules of the options. */
export const SIEM_RULES = {
  folder: option.text(),
  syslog: option.readable(option.isText, 'a text such as tls://siem.example.com:6514', readSyslogTarget),
  syslogCa: option.rule(
    value => typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----'),
    'must be certificates in PEM',
  ),
  url: option.rule(
    value => typeof value === 'string' && URL.parse(value)?.protocol === 'https:',
    'must be an https URL such as https://collector.example.com/ingest',
  ),
  token: option.rule(
    value => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
    'must be a token without spaces',
  ),
  header: option.rule(
    value => typeof value === 'string' && HEADER.test(value),
    'must be a header such as X-Api-Key: value',
  ),
  format: option.choice(['ndjson', 'json']),
  name: option.rule(
    value => typeof value === 'string' && STREAM_NAME.test(value),
    'must be 1 to 40 characters of a-z, 0-9, - and _',
  ),
} satisfies option.RulesOf<SiemOptions>;

/** Injection token of {@link SiemOptions}. */
export const SIEM_OPTIONS = Symbol('governance.siem-options');
